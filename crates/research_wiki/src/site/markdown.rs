//! A page's text as HTML: Markdown, with every tag of its own escaped, no image loaded, and links only to pages and to the web.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::site::model::Model;
use crate::text::{clean, escape};
use aris_wiki::node::Kind;

/// Renders `text`, which stands in the wiki's folder `folder` (empty for the top). `root` leads from the page to the site's root. Nodes
/// that the text mentions go to `mentioned`.
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
        links: Vec::new(),
        in_code: false,
        in_head: false,
        html: String::new(),
    };
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    folder: &'a str,
    root: &'a str,
    model: &'a Model,
    mentioned: &'a mut BTreeSet<usize>,
    /// Whether each open link is one in the page, too.
    links: Vec<bool>,
    in_code: bool,
    in_head: bool,
    html: String,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code || self.links.contains(&true) => {
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

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.out.push_str("<p dir=\"auto\">"),
            Tag::Heading { level, .. } => {
                self.heading("<h", level, " dir=\"auto\">");
            }
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>"),
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
                self.out.push_str("><code>");
            }
            Tag::List(None) => self.out.push_str("<ul>"),
            Tag::List(Some(first)) => {
                write!(self.out, "<ol start=\"{first}\">").unwrap_or_default();
            }
            Tag::Item => self.out.push_str("<li>"),
            Tag::Table(_) => self
                .out
                .push_str("<div class=\"scroll\" tabindex=\"0\"><table>"),
            Tag::TableHead => {
                self.in_head = true;
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => self.out.push_str("<tr>"),
            Tag::TableCell => self
                .out
                .push_str(if self.in_head { "<th>" } else { "<td>" }),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { .. } => self.out.push_str("<span class=\"image\">[image: "),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>\n"),
            TagEnd::Heading(level) => self.heading("</h", level, ">\n"),
            TagEnd::BlockQuote(_) => self.out.push_str("</blockquote>\n"),
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.out.push_str("</code></pre>\n");
            }
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.markup(&html);
            }
            TagEnd::List(false) => self.out.push_str("</ul>\n"),
            TagEnd::List(true) => self.out.push_str("</ol>\n"),
            TagEnd::Item => self.out.push_str("</li>\n"),
            TagEnd::Table => self.out.push_str("</tbody></table></div>\n"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.out.push_str("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.out.push_str("</tr>"),
            TagEnd::TableCell => self
                .out
                .push_str(if self.in_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            TagEnd::Link if self.links.pop() == Some(true) => self.out.push_str("</a>"),
            TagEnd::Image => self.out.push_str("]</span>"),
            _ => {}
        }
    }

    /// A tag of a heading. The page's title is the only one of the first rank.
    fn heading(&mut self, open: &str, level: HeadingLevel, close: &str) {
        let level = (level as usize).max(2);
        write!(self.out, "{open}{level}{close}").unwrap_or_default();
    }

    /// HTML in the page: comments are left out, everything else is shown as it is written.
    fn markup(&mut self, html: &str) {
        let mut rest = html;
        while let Some((before, comment)) = rest.split_once("<!--") {
            escape(&mut self.out, before);
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        }
        escape(&mut self.out, rest);
    }

    fn link(&mut self, target: &str) {
        let href = match self.local(target) {
            Some(number) => {
                self.mentioned.insert(number);
                let href = self
                    .model
                    .nodes
                    .get(number)
                    .map_or("", |node| node.href.as_str());
                (!href.is_empty()).then(|| format!("{}{href}", self.root))
            }
            None => is_web(target).then(|| clean(target)),
        };
        self.links.push(href.is_some());
        if let Some(href) = href {
            self.open(&href);
        }
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

    /// The node that a link's target names, or whose page it is.
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

    /// Text in which names of nodes become links.
    fn text(&mut self, text: &str) {
        let mut done = 0;
        for (at, end) in names(text) {
            let name = text.get(at..end).unwrap_or_default();
            let Some(number) = self.model.number(name) else {
                continue;
            };
            let href = self
                .model
                .nodes
                .get(number)
                .map_or("", |node| node.href.as_str());
            if href.is_empty() {
                continue;
            }
            self.mentioned.insert(number);
            escape(&mut self.out, text.get(done..at).unwrap_or_default());
            let href = format!("{}{href}", self.root);
            self.open(&href);
            escape(&mut self.out, name);
            self.out.push_str("</a>");
            done = end;
        }
        escape(&mut self.out, text.get(done..).unwrap_or_default());
    }

    fn code(&mut self, text: &str) {
        self.out.push_str("<code>");
        let whole = names(text).next() == Some((0, text.len()));
        if whole && !self.links.contains(&true) {
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

/// Places in `text` that look like names of nodes: `claim:C1`.
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
