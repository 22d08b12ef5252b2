"""What a tab does beside showing its page."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, Response

TELL = """addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective}: ${event.blockedURI}`);
});"""


class Witness:
    """What a tab complained of and asked for while it was watched."""

    def __init__(self, page: "Page") -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.add_init_script(TELL)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self._asked)
        page.on("popup", lambda popup: self.complaints.append(f"popup: {popup.url}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)

    def _said(self, message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def _asked(self, dialog: "Dialog") -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _failed(self, request: "Request") -> None:
        # A page that would lead on is held back by the test itself.
        if not request.is_navigation_request():
            self.complaints.append(f"failed: {request.url}")

    def _answered(self, response: "Response") -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status}: {response.url}")
