pagefault.register("meta", "{\"shards\":1,\"common\":[],\"hasLoose\":false}");
