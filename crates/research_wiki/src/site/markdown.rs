//! Renders a page's Markdown as HTML. HTML tags in the text are escaped, images are not loaded, links lead only to pages and the web.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::site::model::Model;
use crate::text::{clean, escape};
use aris_wiki::node::Kind;

/// Renders `text`, a file in the wiki's folder `folder` (empty for the top). `root` is the relative address of the site's root. The
/// numbers of nodes that the text mentions are added to `mentioned`.
pub(crate) fn render(
    text: &str,
    folder: &str,
    root: &str,
    model: &Model,
    mentioned: &mut BTreeSet<usize>,
) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer {
        out: String::with_capacity(text.len() * 5 / 4),
        folder,
        root,
        model,
        mentioned,
        close: Vec::new(),
        in_code: false,
        in_head: false,
        html: String::new(),
    };
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.out
}

/// Closing tag of a link.
const LINK: &str = "</a>";

struct Writer<'a> {
    out: String,
    folder: &'a str,
    root: &'a str,
    model: &'a Model,
    mentioned: &'a mut BTreeSet<usize>,
    /// The closing tag of each open tag.
    close: Vec<Cow<'static, str>>,
    in_code: bool,
    in_head: bool,
    html: String,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code || self.in_link() => {
                escape(&mut self.out, &text);
            }
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.code(&text),
            Event::Html(text) => self.html.push_str(&text),
            Event::InlineHtml(text) => self.markup(&text),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                escape(&mut self.out, &text);
            }
        }
    }

    fn in_link(&self) -> bool {
        self.close.iter().any(|tag| tag == LINK)
    }

    fn start(&mut self, tag: Tag<'_>) {
        let cell = if self.in_head {
            ["<th>", "</th>"]
        } else {
            ["<td>", "</td>"]
        };
        let [open, close] = match tag {
            Tag::Paragraph => ["<p dir=\"auto\">", "</p>\n"],
            Tag::Heading { level, .. } => {
                // Only the page's title has level 1.
                let level = (level as usize).max(2);
                write!(self.out, "<h{level} dir=\"auto\">").unwrap_or_default();
                return self.close.push(format!("</h{level}>\n").into());
            }
            Tag::BlockQuote(_) => ["<blockquote>", "</blockquote>\n"],
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                self.out.push_str("<pre tabindex=\"0\"");
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    self.out.push_str(" aria-label=\"Code: ");
                    escape(&mut self.out, &language);
                    self.out.push('"');
                }
                ["><code>", "</code></pre>\n"]
            }
            Tag::List(None) => ["<ul>", "</ul>\n"],
            Tag::List(Some(first)) => {
                write!(self.out, "<ol start=\"{first}\"").unwrap_or_default();
                [">", "</ol>\n"]
            }
            Tag::Item => ["<li>", "</li>\n"],
            Tag::Table(_) => [
                "<div class=\"scroll\" tabindex=\"0\"><table>",
                "</tbody></table></div>\n",
            ],
            Tag::TableHead => {
                self.in_head = true;
                ["<thead><tr>", "</tr></thead><tbody>"]
            }
            Tag::TableRow => ["<tr>", "</tr>"],
            Tag::TableCell => cell,
            Tag::Emphasis => ["<em>", "</em>"],
            Tag::Strong => ["<strong>", "</strong>"],
            Tag::Strikethrough => ["<del>", "</del>"],
            Tag::Link { dest_url, .. } => ["", self.link(&dest_url)],
            Tag::Image { .. } => ["<span class=\"image\">[image: ", "]</span>"],
            _ => ["", ""],
        };
        self.out.push_str(open);
        self.close.push(close.into());
    }

    fn end(&mut self, tag: TagEnd) {
        self.out.push_str(&self.close.pop().unwrap_or_default());
        match tag {
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.markup(&html);
            }
            TagEnd::TableHead => self.in_head = false,
            _ => {}
        }
    }

    /// HTML in the Markdown: comments are dropped, everything else is shown as text.
    fn markup(&mut self, html: &str) {
        let mut rest = html;
        while let Some((before, comment)) = rest.split_once("<!--") {
            escape(&mut self.out, before);
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        }
        escape(&mut self.out, rest);
    }

    /// Opens a link and returns its closing tag; both are omitted if the target is not allowed.
    fn link(&mut self, target: &str) -> &'static str {
        let href = match self.local(target) {
            Some(number) => self.mention(number),
            None => is_web(target).then(|| clean(target)),
        };
        match href {
            None => "",
            Some(href) => {
                self.open(&href);
                LINK
            }
        }
    }

    /// The address of a mentioned node; `None` if the site has no page for it.
    fn mention(&mut self, number: usize) -> Option<String> {
        self.mentioned.insert(number);
        let href = &self.model.nodes.get(number)?.href;
        (!href.is_empty()).then(|| format!("{}{href}", self.root))
    }

    fn open(&mut self, href: &str) {
        self.out.push_str("<a href=\"");
        escape(&mut self.out, href);
        self.out.push_str(if is_web(href) {
            "\" rel=\"noreferrer\">"
        } else {
            "\">"
        });
    }

    /// The node that a link's target names, by name or by the path of its page.
    fn local(&self, target: &str) -> Option<usize> {
        if let Some(number) = self.model.number(target) {
            return Some(number);
        }
        let path = target.split(['#', '?']).next()?.strip_suffix(".md")?;
        let mut parts: Vec<&str> = self
            .folder
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        self.model
            .of_file(&parts.join("/"))
            .or_else(|| self.model.of_file(path))
    }

    /// Writes text; names of nodes in it become links.
    fn text(&mut self, text: &str) {
        let mut done = 0;
        for (at, end) in names(text) {
            let name = text.get(at..end).unwrap_or_default();
            let Some(number) = self.model.number(name) else {
                continue;
            };
            let Some(href) = self.mention(number) else {
                continue;
            };
            escape(&mut self.out, text.get(done..at).unwrap_or_default());
            self.open(&href);
            escape(&mut self.out, name);
            self.out.push_str(LINK);
            done = end;
        }
        escape(&mut self.out, text.get(done..).unwrap_or_default());
    }

    fn code(&mut self, text: &str) {
        self.out.push_str("<code>");
        let whole = names(text).next() == Some((0, text.len()));
        if whole && !self.in_link() {
            self.text(text);
        } else {
            escape(&mut self.out, text);
        }
        self.out.push_str("</code>");
    }
}

fn is_web(target: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|scheme| {
        target
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// Byte ranges in `text` that look like names of nodes, such as `claim:C1`.
fn names(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices(':').filter_map(|(colon, _)| {
        let before = text.get(..colon)?;
        let prefixes = Kind::ALL.map(Kind::prefix);
        let prefix = prefixes
            .iter()
            .chain(&["gap"])
            .find(|prefix| before.ends_with(**prefix))?;
        let start = colon - prefix.len();
        let joined = before.get(..start)?.chars().next_back();
        if joined.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '/')) {
            return None;
        }
        let rest = text.get(colon + 1..)?;
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(rest.len());
        let name = rest.get(..length)?.trim_end_matches(['.', '-']);
        (!name.is_empty()).then_some((start, colon + 1 + name.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aris_wiki::edges::Edges;
    use aris_wiki::page::Page;
    use aris_wiki::summary::Summary;

    fn model() -> Model {
        let page = Page::parse(String::from("---\ntitle: \"A\"\n---\n"));
        let pages = [
            Summary::of(Kind::Paper, "a.md", &page),
            Summary::of(Kind::Claim, "C1.md", &page),
        ];
        Model::new(pages.iter(), &[], &Edges::default())
    }

    fn html(text: &str) -> String {
        render(text, "claims", "../", &model(), &mut BTreeSet::new())
    }

    #[test]
    fn markup_is_text_and_links_lead_to_pages_or_the_web() {
        for (text, expected) in [
            ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
            (
                "a <b onclick=x>b</b>",
                "<p dir=\"auto\">a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n",
            ),
            ("<!-- hidden -->\n", "\n"),
            ("[x](javascript:alert)", "<p dir=\"auto\">x</p>\n"),
            (
                "[x](HTTPS://e.org/?a&b)",
                "<p dir=\"auto\"><a href=\"HTTPS://e.org/?a&amp;b\" rel=\"noreferrer\">x</a></p>\n",
            ),
            (
                "![alt](https://e.org/x.png)",
                "<p dir=\"auto\"><span class=\"image\">[image: alt]</span></p>\n",
            ),
            (
                "[x](../papers/a.md#s)",
                "<p dir=\"auto\"><a href=\"../papers/a.html\">x</a></p>\n",
            ),
            (
                "see paper:a.",
                "<p dir=\"auto\">see <a href=\"../papers/a.html\">paper:a</a>.</p>\n",
            ),
            (
                "`claim:C1` mypaper:a paper:zz",
                "<p dir=\"auto\"><code><a href=\"../claims/C1.html\">claim:C1</a></code> mypaper:a paper:zz</p>\n",
            ),
            ("# Top", "<h2 dir=\"auto\">Top</h2>\n"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    #[test]
    fn mentions_are_collected() {
        let mut mentioned = BTreeSet::new();
        let model = model();
        render(
            "[[x]](../papers/a.md), claim:C1",
            "claims",
            "../",
            &model,
            &mut mentioned,
        );
        let names: Vec<&str> = mentioned
            .iter()
            .map(|number| model.nodes[*number].name.as_str())
            .collect();
        assert_eq!(names, ["claim:C1", "paper:a"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_opens_a_tag_that_is_not_ours(text in "[<>a-z/!\\[\\]()`*_#|:\\n\"'& -]{0,120}") {
            let html = html(&text);
            for part in html.split('<').skip(1) {
                let name: String = part.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
                let ours = ["p", "h2", "h3", "h4", "h5", "h6", "a", "code", "pre", "em", "strong", "del", "ul", "ol", "li", "blockquote",
                    "hr", "br", "span", "div", "table", "thead", "tbody", "tr", "th", "td"];
                proptest::prop_assert!(ours.contains(&name.as_str()), "{}", html);
            }
        }
    }
}
