package views

import (
	"path"
	"strings"
	"text/scanner"
	"unicode"
	"unicode/utf8"

	"lookout/client"
	"lookout/theme"
)

// A language is a family of notations that look alike enough to be coloured alike.
type language int

const (
	noLanguage language = iota
	code                // braces, // and /* */
	script              // # begins a comment, $ a variable
	settings            // keys before : or =
	query               // SQL
	markup              // tags
	jsonText
)

// languageOf goes by the name's ending, and by the first line of scripts.
func languageOf(name, text string) language {
	base := strings.ToLower(path.Base(name))
	switch strings.TrimPrefix(path.Ext(base), ".") {
	case "go", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "scala", "js", "mjs", "ts", "jsx", "tsx", "rs", "swift", "php", "css", "scss", "proto", "groovy", "dart":
		return code
	case "sh", "bash", "zsh", "fish", "py", "rb", "pl", "r", "mk", "ps1", "tcl", "awk":
		return script
	case "yaml", "yml", "toml", "ini", "conf", "cfg", "env", "properties", "tf", "hcl", "service", "desktop":
		return settings
	case "sql", "psql":
		return query
	case "xml", "html", "htm", "xhtml", "svg", "plist", "rss":
		return markup
	}
	switch base {
	case "dockerfile", "makefile", "vagrantfile", "gemfile":
		return script
	}
	if strings.HasPrefix(text, "#!") {
		return script
	}
	return noLanguage
}

// keywords are the words of a language that stand out, in small letters.
func (l language) keywords() string {
	switch l {
	case code:
		return `break case catch class const continue def default defer do else enum export extends final finally for fn func function go if impl implements import in interface let
			loop match mod mut namespace new override package private protected public pub range return select static struct super switch this throw throws trait try type typedef union
			use using var void while with yield async await`
	case script:
		return `and as begin break case class continue def do done elif else elsif end esac except exit export fi finally for from function global if import in lambda local module
			next not or pass raise require rescue return set shift source then trap try unless until unset when while with yield`
	case query:
		return `add all alter and as asc begin between by cascade case check column commit constraint copy create database default delete desc distinct drop else end exists extension
			foreign from full function grant group having if in index inner insert into is join key left like limit not offset on or order outer owner primary references return returns
			revoke right rollback schema select sequence set stdin table then to transaction trigger truncate type union unique update using values view when where with`
	}
	return ""
}

// A colourist takes text apart into tokens with Go's scanner and gives each a tone.
type colourist struct {
	scanner.Scanner
	language language
	text     string
	keywords map[string]bool
	lines    [][]piece
}

// colour takes text apart into clean pieces. It declines what no language is known for.
func colour(l language, text string) (lines [][]piece, ok bool) {
	if l == noLanguage || !utf8.ValidString(text) {
		return nil, false
	}
	c := &colourist{language: l, text: text, keywords: map[string]bool{}, lines: [][]piece{nil}}
	for _, word := range strings.Fields(l.keywords()) {
		c.keywords[word] = true
	}
	c.Init(strings.NewReader(text))
	c.Error = func(*scanner.Scanner, string) {} // what cannot be understood is shown as it is
	c.Whitespace = 0
	c.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanChars | scanner.ScanStrings
	if l == code {
		c.Mode |= scanner.ScanComments | scanner.ScanRawStrings
	}
	c.IsIdentRune = func(r rune, i int) bool {
		return r == '_' || unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || r == '-' && (l == settings || l == markup))
	}
	for token := c.Scan(); token != scanner.EOF; token = c.Scan() {
		start := c.Position.Offset
		tone := c.tone(token, start)
		c.add(text[start:c.Pos().Offset], tone)
	}
	return c.lines, true
}

// add puts text into lines of clean pieces.
func (c *colourist) add(text string, tone theme.Tone) {
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			c.lines = append(c.lines, nil)
		}
		if part == "" {
			continue
		}
		line := &c.lines[len(c.lines)-1]
		if n := len(*line); n > 0 && (*line)[n-1].tone == tone {
			(*line)[n-1].text += client.Clean(part)
			continue
		}
		*line = append(*line, piece{client.Clean(part), tone})
	}
}

// tone judges a token, and takes in what belongs to it and the scanner does not know: comments that begin with #, ; or --, variables, tags.
func (c *colourist) tone(token rune, start int) theme.Tone {
	switch token {
	case scanner.Comment:
		return theme.Muted
	case scanner.String, scanner.Char, scanner.RawString:
		if c.language == jsonText && c.before(":") {
			return theme.Accent
		}
		return theme.Good
	case scanner.Int, scanner.Float:
		return theme.Info
	case scanner.Ident:
		return c.word()
	}
	switch {
	case c.remark(token, start):
		for c.Peek() != '\n' && c.Peek() != scanner.EOF {
			c.Next()
		}
		return theme.Muted
	case token == '$' && c.language == script:
		for r := c.Peek(); r == '{' || r == '}' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r); r = c.Peek() {
			c.Next()
		}
		return theme.Accent
	case c.language == markup && token == '<':
		return c.tag(start)
	case c.language == markup && token == '>', c.language == settings && (token == '[' || token == ']'):
		return theme.Accent
	}
	return theme.Plain
}

// word is the tone of a word: a key, one of the language's own, or any.
func (c *colourist) word() theme.Tone {
	word := strings.ToLower(c.TokenText())
	switch {
	case c.language == settings && c.before(":", "="), c.language == markup && c.before("="):
		return theme.Accent
	case c.language == markup:
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

// remark reports whether a token begins a comment that ends with its line.
func (c *colourist) remark(token rune, start int) bool {
	fresh := start == 0 || unicode.IsSpace(rune(c.text[start-1]))
	switch c.language {
	case script:
		return token == '#' && fresh
	case settings:
		return (token == '#' || token == ';') && fresh
	case query:
		return token == '-' && c.Peek() == '-'
	}
	return false
}

// tag takes in a tag's name, or a whole comment.
func (c *colourist) tag(start int) theme.Tone {
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

// before reports whether the next thing behind blanks is one of marks.
func (c *colourist) before(marks ...string) bool {
	rest := strings.TrimLeft(c.text[c.Pos().Offset:], " ")
	for _, mark := range marks {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return false
}
