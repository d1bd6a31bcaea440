"""A page that is open in a browser, and what it complained about."""

import shutil

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LONG = 60_000


class Opened:
    """A page, what it complained about, and what it requested."""

    def __init__(self, browser, url, width=1280, **how):
        self.context = browser.new_context(viewport={"width": width, "height": 844}, **how)
        self.page = self.context.new_page()
        self.page.set_default_timeout(LONG)
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)
