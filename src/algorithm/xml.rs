//! Elements and attributes by the small grammar of NCCL's XML reader, which MSCCL and RCCL share.

use std::collections::HashMap;

use super::dialect::{MOST_CHILDREN, SizeLimits};
use super::error::{FaultPlace, FileFault};

/// Attributes that the reader keeps of an element.
const MOST_ATTRIBUTES: usize = 16;

/// Elements inside of one another: the format has four.
const MOST_DEPTH: usize = 16;

/// Characters of a name or a value.
const MOST_CHARACTERS: usize = 255;

/// An element with its attributes and its children.
#[derive(Debug)]
pub(super) struct Element<'t> {
    pub name: &'t str,
    pub line: usize,
    attributes: HashMap<&'t str, &'t str>,
    pub children: Vec<Element<'t>>,
}

impl<'t> Element<'t> {
    /// Value of an attribute that the reader requires.
    pub fn text(&self, name: &str) -> Result<&'t str, FileFault> {
        let missing = || self.fault(format!("requires the attribute `{name}`"));
        self.attributes.get(name).copied().ok_or_else(missing)
    }

    /// Value of an attribute as an integer from `least` to `most`.
    pub fn number(&self, name: &str, least: i64, most: i64) -> Result<i64, FileFault> {
        let text = self.text(name)?;
        let number = text.parse().map_err(|_| self.fault(format!("`{name}` must be an integer (`{text}`)")))?;
        if !(least..=most).contains(&number) {
            return Err(self.fault(format!("`{name}` must be from {least} to {most} (is {number})")));
        }
        Ok(number)
    }

    /// Value of an attribute as a count from `least`, which is not negative, to `most`.
    pub fn count(&self, name: &str, least: i64, most: i64) -> Result<usize, FileFault> {
        Ok(usize::try_from(self.number(name, least, most)?).unwrap_or(0))
    }

    /// Returns true if the element has an attribute.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.contains_key(name)
    }

    /// Number of elements, with the element itself.
    pub fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }

    /// A fault of this element.
    pub fn fault(&self, what: String) -> FileFault {
        let place = FaultPlace { line: Some(self.line as u32), part: format!("element {}", self.name) };
        FileFault::Rule { place, what }
    }
}

/// Reads the only element at the top of a text.
pub(super) fn read(text: &str, limits: SizeLimits) -> Result<Element<'_>, FileFault> {
    let mut reader = XmlReader { text, at: 0, line: 1, most_children: limits.of(MOST_CHILDREN), limits };
    let mut open: Vec<Element> = Vec::new();
    let mut top = None;
    while reader.skip_space() {
        reader.expect('<', "expected `<`")?;
        if reader.take("!--") {
            reader.until("-->")?;
        } else if limits == SizeLimits::Lifted && reader.take("?") {
            reader.until("?>")?;
        } else if reader.take("/") {
            let name = reader.name('>')?;
            reader.expect('>', "a closing tag must end after its name")?;
            let element = open.pop().filter(|element| element.name == name);
            let element = element.ok_or_else(|| reader.fault(format!("`</{name}>` closes another element")))?;
            reader.add(element, &mut open, &mut top)?;
        } else {
            let (element, is_single) = reader.element()?;
            if is_single {
                reader.add(element, &mut open, &mut top)?;
            } else if open.len() == MOST_DEPTH {
                return Err(reader.fault(format!("elements must be inside of at most {MOST_DEPTH} others")));
            } else {
                open.push(element);
            }
        }
    }
    match (open.last(), top) {
        (Some(element), _) => Err(reader.fault(format!("`<{}>` is not closed", element.name))),
        (None, top) => top.ok_or_else(|| reader.fault("there is no element".into())),
    }
}

struct XmlReader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    most_children: usize,
    limits: SizeLimits,
}

impl<'t> XmlReader<'t> {
    fn fault(&self, what: String) -> FileFault {
        FileFault::Syntax { line: self.line, what }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) -> &'t str {
        let passed = &self.rest()[..bytes];
        self.line += passed.matches('\n').count();
        self.at += bytes;
        passed
    }

    /// Skips what may stand between elements; returns false at the end of the text.
    fn skip_space(&mut self) -> bool {
        let rest = self.rest();
        let spaces = [' ', '\n', '\r', '\t'];
        let known = if self.limits == SizeLimits::Reader { &spaces[..3] } else { &spaces[..] };
        self.advance(rest.len() - rest.trim_start_matches(known).len());
        !self.rest().is_empty()
    }

    fn take(&mut self, start: &str) -> bool {
        let is_there = self.rest().starts_with(start);
        if is_there {
            self.advance(start.len());
        }
        is_there
    }

    fn expect(&mut self, character: char, what: &str) -> Result<(), FileFault> {
        if self.rest().starts_with(character) {
            self.advance(character.len_utf8());
            return Ok(());
        }
        Err(self.fault(what.to_owned()))
    }

    /// Passes everything up to a text and the text itself.
    fn until(&mut self, end: &str) -> Result<&'t str, FileFault> {
        let found = self.rest().find(end).ok_or_else(|| self.fault(format!("`{end}` is missing")))?;
        let passed = self.advance(found);
        self.advance(end.len());
        Ok(passed)
    }

    /// Reads a name that ends before a space, a slash or `end`.
    fn name(&mut self, end: char) -> Result<&'t str, FileFault> {
        let rest = self.rest();
        let length = rest.find([' ', '/', '>', '\n', '\r', '\t', end]).unwrap_or(rest.len());
        if !(1..=MOST_CHARACTERS).contains(&length) {
            return Err(self.fault(format!("a name must have 1 to {MOST_CHARACTERS} characters (has {length})")));
        }
        Ok(self.advance(length))
    }

    /// Reads an element after its `<`; the second value is true if it has no children.
    fn element(&mut self) -> Result<(Element<'t>, bool), FileFault> {
        let line = self.line;
        let name = self.name('>')?;
        let mut attributes = HashMap::new();
        while self.begins_attribute() {
            let key = self.name('=')?;
            self.expect('=', "an attribute must have a value; one space stands before each")?;
            self.expect('"', "a value must stand in double quotes")?;
            let value = self.until("\"")?;
            if value.len() > MOST_CHARACTERS {
                let what = format!("a value has at most {MOST_CHARACTERS} characters (has {})", value.len());
                return Err(self.fault(what));
            }
            if attributes.insert(key, value).is_some() {
                return Err(self.fault(format!("the attribute `{key}` occurs twice")));
            }
        }
        if attributes.len() > MOST_ATTRIBUTES {
            let what = format!("an element has at most {MOST_ATTRIBUTES} attributes (has {})", attributes.len());
            return Err(self.fault(what));
        }
        let is_single = self.take("/");
        self.expect('>', "expected `>`")?;
        Ok((Element { name, line, attributes, children: Vec::new() }, is_single))
    }

    /// Passes the space before an attribute: one space, or any if limits are lifted.
    fn begins_attribute(&mut self) -> bool {
        if self.limits == SizeLimits::Reader {
            return self.take(" ");
        }
        let before = self.at;
        self.skip_space() && before < self.at && !self.rest().starts_with(['/', '>'])
    }

    fn add(
        &self,
        element: Element<'t>,
        open: &mut [Element<'t>],
        top: &mut Option<Element<'t>>,
    ) -> Result<(), FileFault> {
        match open.last_mut() {
            Some(parent) if parent.children.len() == self.most_children => {
                Err(self.fault(format!("an element has at most {} children", self.most_children)))
            }
            Some(parent) => {
                parent.children.push(element);
                Ok(())
            }
            None if top.is_some() => Err(self.fault("there is a second element at the top".into())),
            None => {
                *top = Some(element);
                Ok(())
            }
        }
    }
}
