//! What all pages have in common: the head, the way around, and the foot.

use super::page_visitor::{FORM_KEY_FIELD, PageVisitor};
use super::visible_text::visible;
use axum::response::Html;
use maud::{DOCTYPE, Markup, html};

/// What differs between the frames of pages.
#[derive(Debug)]
pub struct PageFrame {
    /// The title of the window.
    pub title: String,
    /// After how many seconds a browser without script loads the page again.
    pub refresh: Option<u32>,
    /// The address of the entry in the navigation that is this page.
    pub here: &'static str,
}

impl PageFrame {
    /// A page that stays as it is.
    pub fn plain(title: &str) -> Self {
        Self { title: visible(title), refresh: None, here: "" }
    }

    /// The same as an entry of the navigation.
    #[must_use]
    pub fn at(mut self, here: &'static str) -> Self {
        self.here = here;
        self
    }

    /// The same with a time after which it is loaded again.
    #[must_use]
    pub fn refreshed(mut self, seconds: Option<u32>) -> Self {
        self.refresh = seconds;
        self
    }
}

/// The entries of the navigation.
const ENTRIES: [(&str, &str); 3] =
    [("/", "Jobs"), ("/submit", "Submit a failure"), ("/environments", "Environments")];

/// A page with its frame. Without a visitor, nothing is said about a login.
pub fn page(frame: &PageFrame, visitor: Option<&PageVisitor>, body: &Markup) -> Html<String> {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · wynot" }
                link rel="stylesheet" href="/static/style.css";
                link rel="icon" type="image/svg+xml" href="/static/favicon.svg";
                script type="module" src="/static/live.js" {}
                @if let Some(seconds) = frame.refresh {
                    noscript { meta http-equiv="refresh" content=(seconds); }
                }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.site {
                    a.brand href="/" { "wynot" }
                    nav aria-label="Pages" {
                        @for (address, name) in ENTRIES {
                            a href=(address) aria-current=[(frame.here == address).then_some("page")] { (name) }
                        }
                    }
                    (login_state(visitor))
                }
                main id="main" tabindex="-1" { (body) }
                footer.site {
                    "Why does it fail? wynot finds out by experiments. Programs use the "
                    a href="/api/v1/openapi.json" { "interface for programs" } "."
                }
            }
        }
    };
    Html(document.into_string())
}

fn login_state(visitor: Option<&PageVisitor>) -> Markup {
    let Some(visitor) = visitor.filter(|visitor| !visitor.is_open()) else { return html! {} };
    html! {
        div.login {
            @match &visitor.visitor.name {
                Some(name) => {
                    form method="post" action="/logout" enctype="multipart/form-data" {
                        (form_key(visitor))
                        span { (visible(name)) }
                        button.quiet type="submit" { "Log out" }
                    }
                }
                None => a href="/login" { "Log in" },
            }
        }
    }
}

/// The field with the form key of a visitor.
pub fn form_key(visitor: &PageVisitor) -> Markup {
    html! { input type="hidden" name=(FORM_KEY_FIELD) value=(visitor.form_key); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_escaped_and_pages_refresh_without_script_alone() {
        let frame = PageFrame::plain("<b>\u{202e}").refreshed(Some(3));
        let Html(text) = page(&frame, None, &html! { p { "x" } });
        assert!(text.contains("<title>&lt;b&gt;\\u{202e} · wynot</title>"), "{text}");
        let refresh = "<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>";
        assert!(text.contains(refresh), "{text}");
        assert!(!page(&PageFrame::plain("x"), None, &html! {}).0.contains("refresh"));
    }
}
