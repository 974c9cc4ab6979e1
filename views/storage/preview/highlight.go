package preview

import (
	"path"
	"strings"
	"text/scanner"
	"unicode"
	"unicode/utf8"

	"lookout/client"
	"lookout/theme"
)

// language is a family of notations that are similar enough to be highlighted alike.
type language int

// The languages.
const (
	languageUnknown  language = iota
	languageCode              // braces, // and /* */
	languageScript            // # begins a comment, $ a variable
	languageSettings          // keys before : or =
	languageSQL               // SQL
	languageMarkup            // tags
	languageJSON
)

// detectLanguage returns the language for a file name extension, or for the first line of a script.
func detectLanguage(name, text string) language {
	base := strings.ToLower(path.Base(name))
	switch strings.TrimPrefix(path.Ext(base), ".") {
	case "go", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "scala", "js", "mjs", "ts", "jsx", "tsx", "rs",
		"swift", "php", "css", "scss", "proto", "groovy", "dart":
		return languageCode
	case "sh", "bash", "zsh", "fish", "py", "rb", "pl", "r", "mk", "ps1", "tcl", "awk":
		return languageScript
	case "yaml", "yml", "toml", "ini", "conf", "cfg", "env", "properties", "tf", "hcl", "service", "desktop":
		return languageSettings
	case "sql", "psql":
		return languageSQL
	case "json", "ndjson", "jsonl":
		return languageJSON
	case "xml", "html", "htm", "xhtml", "svg", "plist", "rss":
		return languageMarkup
	}
	switch base {
	case "dockerfile", "makefile", "vagrantfile", "gemfile":
		return languageScript
	}
	if strings.HasPrefix(text, "#!") {
		return languageScript
	}
	return languageUnknown
}

// keywords returns the keywords of a language in lower case.
func (l language) keywords() string {
	switch l {
	case languageCode:
		return `break case catch class const continue def default defer do else enum export extends final finally
			for fn func function go if impl implements import in interface let loop match mod mut namespace new
			override package private protected public pub range return select static struct super switch this
			throw throws trait try type typedef union use using var void while with yield async await`
	case languageScript:
		return `and as begin break case class continue def do done elif else elsif end esac except exit export fi
			finally for from function global if import in lambda local module next not or pass raise require
			rescue return set shift source then trap try unless until unset when while with yield`
	case languageSQL:
		return `add all alter and as asc begin between by cascade case check column commit constraint copy create
			database default delete desc distinct drop else end exists extension foreign from full function
			grant group having if in index inner insert into is join key left like limit not offset on or order
			outer owner primary references return returns revoke right rollback schema select sequence set stdin
			table then to transaction trigger truncate type union unique update using values view when where
			with`
	}
	return ""
}

// highlighter splits text into tokens with Go's scanner and gives each a tone.
type highlighter struct {
	scanner.Scanner
	language language
	text     string
	keywords map[string]bool
	lines    [][]textSpan
}

// highlight splits text into clean spans. It reports false if the language is unknown.
func highlight(l language, text string) (lines [][]textSpan, ok bool) {
	if l == languageUnknown || !utf8.ValidString(text) {
		return nil, false
	}
	c := &highlighter{language: l, text: text, keywords: map[string]bool{}, lines: [][]textSpan{nil}}
	for _, word := range strings.Fields(l.keywords()) {
		c.keywords[word] = true
	}
	c.Init(strings.NewReader(text))
	c.Error = func(*scanner.Scanner, string) {} // text that is not understood is shown as it is
	c.Whitespace = 0
	c.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanChars | scanner.ScanStrings
	if l == languageCode {
		c.Mode |= scanner.ScanComments | scanner.ScanRawStrings
	}
	c.IsIdentRune = func(r rune, i int) bool {
		return r == '_' || unicode.IsLetter(r) ||
			i > 0 && (unicode.IsDigit(r) || r == '-' && (l == languageSettings || l == languageMarkup))
	}
	for token := c.Scan(); token != scanner.EOF; token = c.Scan() {
		start := c.Position.Offset
		tone := c.tokenTone(token, start)
		c.add(text[start:c.Pos().Offset], tone)
	}
	return c.lines, true
}

// add appends text to the lines.
func (c *highlighter) add(text string, tone theme.Tone) {
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			c.lines = append(c.lines, nil)
		}
		if part == "" {
			continue
		}
		line := &c.lines[len(c.lines)-1]
		if n := len(*line); n > 0 && (*line)[n-1].tone == tone {
			(*line)[n-1].text += client.CleanContent(part)
			continue
		}
		*line = append(*line, textSpan{client.CleanContent(part), tone})
	}
}

// tokenTone returns the tone of a token. It also reads what the scanner does not know as one token: comments that begin
// with #, ; or --, variables and tags.
func (c *highlighter) tokenTone(token rune, start int) theme.Tone {
	switch token {
	case scanner.Comment:
		return theme.Muted
	case scanner.String, scanner.Char, scanner.RawString:
		if c.language == languageJSON && c.followedBy(":") {
			return theme.Accent
		}
		return theme.Good
	case scanner.Int, scanner.Float:
		return theme.Info
	case scanner.Ident:
		return c.wordTone()
	}
	switch {
	case c.startsLineComment(token, start):
		for c.Peek() != '\n' && c.Peek() != scanner.EOF {
			c.Next()
		}
		return theme.Muted
	case token == '$' && c.language == languageScript:
		for r := c.Peek(); r == '{' || r == '}' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r); r = c.Peek() {
			c.Next()
		}
		return theme.Accent
	case c.language == languageMarkup && token == '<':
		return c.scanTag(start)
	case c.language == languageMarkup && token == '>', c.language == languageSettings && (token == '[' || token == ']'):
		return theme.Accent
	}
	return theme.Plain
}

// wordTone returns the tone of a word: a key, a keyword or any other.
func (c *highlighter) wordTone() theme.Tone {
	word := strings.ToLower(c.TokenText())
	switch {
	case c.language == languageSettings && c.followedBy(":", "="), c.language == languageMarkup && c.followedBy("="):
		return theme.Accent
	case c.language == languageMarkup:
		return theme.Plain
	case c.keywords[word]:
		return theme.Accent
	}
	switch word {
	case "true", "false", "null", "nil", "none", "undefined":
		return theme.Warn
	}
	return theme.Plain
}

// startsLineComment reports whether a token begins a comment that ends with its line.
func (c *highlighter) startsLineComment(token rune, start int) bool {
	fresh := start == 0 || unicode.IsSpace(rune(c.text[start-1]))
	switch c.language {
	case languageScript:
		return token == '#' && fresh
	case languageSettings:
		return (token == '#' || token == ';') && fresh
	case languageSQL:
		return token == '-' && c.Peek() == '-'
	}
	return false
}

// scanTag reads the name of a tag, or a whole comment.
func (c *highlighter) scanTag(start int) theme.Tone {
	if strings.HasPrefix(c.text[start:], "<!--") {
		for c.Peek() != scanner.EOF && !strings.HasSuffix(c.text[start:c.Pos().Offset], "-->") {
			c.Next()
		}
		return theme.Muted
	}
	for r := c.Peek(); strings.ContainsRune("/!?:-", r) || unicode.IsLetter(r) || unicode.IsDigit(r); r = c.Peek() {
		c.Next()
	}
	return theme.Accent
}

// followedBy reports whether one of several marks follows after blanks.
func (c *highlighter) followedBy(marks ...string) bool {
	rest := strings.TrimLeft(c.text[c.Pos().Offset:], " ")
	for _, mark := range marks {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return false
}
