"""E0123: a record's addresses, former ones too, belong to nobody else."""

from collections.abc import Iterator

from generator import links
from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for an owner whose folder is the site's own, and for each alias that is taken."""
    owner = case.head.repo.partition("/")[0]
    if owner.casefold() in links.RESERVED:
        yield Finding(
            f"`{owner}` is a folder of the site itself",
            case.file.at("repo"),
            help=f"no owner can be called {', '.join(f'`{name}`' for name in sorted(links.RESERVED))}",
        )
    for number, alias in enumerate(case.head.aliases):
        path = links.alias_path(case.head, alias).casefold()
        if not links.is_id(alias) and path.partition("/")[0] in links.RESERVED:
            yield Finding(
                f"alias `{alias}` lies in a folder of the site itself",
                case.file.at("aliases", number),
                help="remove it",
            )
            continue
        holder = corpus.holders.get(path) or corpus.former[path]
        is_repeated = alias in case.head.aliases[:number]
        if holder is not case or path in corpus.holders or is_repeated:
            whose = "this record" if holder is case else holder.file.path
            yield Finding(
                f"alias `{alias}` is already an address of {whose}",
                case.file.at("aliases", number),
                help="remove it",
            )


CHECK = Check("E0123", "a record's addresses belong to nobody else", run, is_form=True, is_alone=False)
