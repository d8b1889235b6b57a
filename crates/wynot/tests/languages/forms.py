"""Reads HTML, wants every element closed, and knows one message: there is a form in a form."""

from html.parser import HTMLParser

from reading import Wrong, end

VOID = ("br", "hr", "img", "input", "link", "meta")


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.nested = False

    def handle_starttag(self, tag, attributes):
        self.nested = self.nested or (tag == "form" and "form" in self.open)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise Wrong(f"</{tag}> closes nothing")


def check(text):
    page = Page()
    page.feed(text)
    if page.open or page.rawdata:
        raise Wrong("it ends too early")
    return page.nested and "a form is in a form"


end(check)
