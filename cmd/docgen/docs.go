package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/cmd/internal/cli"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/theme"
	"lookout/ui/filter"
	"lookout/ui/shell"
	"lookout/views"
)

// generateDocs returns the pages by their paths.
func generateDocs(ctx context.Context) (map[string]string, error) {
	root := cli.NewRootCommand()
	keys, err := dashboard.KeyBindings(ctx)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{
		"commands/README.md": commandsPage(root),
		"configuration.md":   configurationPage(),
		"keys.md":            keysPage(keys),
		"man/lookout.1":      manualPage(root),
	}
	for _, c := range visibleCommands(root) {
		pages["commands/"+c.Name()+".md"] = commandPage(c)
	}
	for name, shell := range map[string]string{"lookout.bash": "bash", "_lookout": "zsh", "lookout.fish": "fish"} {
		pages["completions/"+name] = cli.CompletionScripts()[shell]
	}
	var powerShell bytes.Buffer
	err = root.GenPowerShellCompletionWithDesc(&powerShell)
	pages["completions/lookout.ps1"] = powerShell.String()
	return pages, err
}

// visibleCommands returns the documented subcommands of a command.
func visibleCommands(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
			out = append(out, sub)
		}
	}
	return out
}

// generatedHeader is the first line of every generated page.
const generatedHeader = "<!-- Written by: go run ./cmd/docgen docs -->\n\n"

func commandsPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(generatedHeader + "# Commands\n\n" + helpToMarkdown(root.Long) + "\n\n")
	own, _ := cli.Flags(root)
	b.WriteString("```\n" + root.Use + " [flags]\n\n" + cli.FlagUsages(own, pageWidth) + "```\n\n" +
		examplesBlock(root) + "| command | |\n|---|---|\n")
	for _, c := range visibleCommands(root) {
		fmt.Fprintf(&b, "| [lookout %s](%s.md) | %s |\n", c.Name(), c.Name(), c.Short)
	}
	b.WriteString(
		"| lookout completion | Completions for bash, zsh, fish and PowerShell: `lookout completion bash --help` |\n",
	)
	b.WriteString("\n## Common flags\n\n" +
		"Many commands have these flags, and some of those above. Their pages only name them:\n\n```\n" +
		cli.FlagUsages(commonFlags(root), pageWidth) + "```\n")
	return b.String()
}

// pageWidth is the width of blocks on pages.
const pageWidth = 100

// commonFlags returns the flags that at least ten commands have in the same words.
func commonFlags(root *cobra.Command) *pflag.FlagSet {
	common, count := pflag.NewFlagSet("", pflag.ContinueOnError), map[string]int{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		own, _ := cli.Flags(c)
		own.VisitAll(func(f *pflag.Flag) {
			count[f.Name+f.Usage]++
			if count[f.Name+f.Usage] == 10 && common.Lookup(f.Name) == nil {
				common.AddFlag(f)
			}
		})
		for _, sub := range visibleCommands(c) {
			visit(sub)
		}
	}
	for _, c := range visibleCommands(root) {
		visit(c)
	}
	return common
}

// describedFlags returns the flags that only the part about a command describes, and the names of its others.
func describedFlags(c *cobra.Command, common *pflag.FlagSet) (own *pflag.FlagSet, others []string) {
	all, others := cli.Flags(c)
	own = pflag.NewFlagSet("", pflag.ContinueOnError)
	all.VisitAll(func(f *pflag.Flag) {
		if other := common.Lookup(f.Name); other != nil && other.Usage == f.Usage {
			others = append(others, "--"+f.Name)
			return
		}
		own.AddFlag(f)
	})
	slices.Sort(others)
	return own, others
}

// helpToMarkdown converts a help text to Markdown, with its lists as blocks.
func helpToMarkdown(text string) string {
	var b strings.Builder
	block := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "  ") && !block:
			b.WriteString("\n```\n")
		case !strings.HasPrefix(line, "  ") && block:
			b.WriteString("```\n")
		}
		block = strings.HasPrefix(line, "  ")
		b.WriteString(line + "\n")
	}
	if block {
		b.WriteString("```\n")
	}
	return strings.TrimRight(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"), "\n")
}

// commandPage returns the page of a command and its subcommands.
func commandPage(c *cobra.Command) string {
	var b strings.Builder
	common := commonFlags(c.Root())
	fmt.Fprintf(&b, "%s# lookout %s\n\n", generatedHeader, c.Name())
	writeCommandDoc(&b, c, common)
	for _, sub := range visibleCommands(c) {
		fmt.Fprintf(&b, "## %s\n\n", sub.CommandPath())
		writeCommandDoc(&b, sub, common)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeCommandDoc(b *strings.Builder, c *cobra.Command, common *pflag.FlagSet) {
	fmt.Fprintf(b, "%s.\n\n", strings.TrimRight(c.Short, "."))
	if c.Long != "" {
		b.WriteString(helpToMarkdown(c.Long) + "\n\n")
	}
	usageLine := c.UseLine()
	if subcommands := visibleCommands(c); slices.ContainsFunc(subcommands, isTheSame) {
		usageLine = c.CommandPath() + " [COMMAND] [flags]"
	} else if len(subcommands) > 0 {
		usageLine = c.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprintf(b, "```\n%s\n", usageLine)
	own, others := describedFlags(c, common)
	if own.HasFlags() {
		b.WriteString("\n" + cli.FlagUsages(own, pageWidth))
	}
	fmt.Fprintf(b, "```\n\n[Common flags](README.md#common-flags): `%s`.\n\n", strings.Join(others, "`, `"))
	if hasOwnExamples(c) {
		b.WriteString(examplesBlock(c))
	}
}

// isTheSame reports whether a subcommand does what its parent does alone.
func isTheSame(c *cobra.Command) bool { return c.Short == "The same as "+c.Parent().CommandPath() }

// examplesBlock returns a command's examples as a block.
func examplesBlock(c *cobra.Command) string {
	return "```sh\n" + strings.TrimPrefix(strings.ReplaceAll(c.Example, "\n  ", "\n"), "  ") + "\n```\n\n"
}

// hasOwnExamples reports whether a command has examples that its parent does not have too.
func hasOwnExamples(c *cobra.Command) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	return first != "" && (!c.HasParent() || !strings.Contains(c.Parent().Example, first))
}

func configurationPage() string {
	var b strings.Builder
	b.WriteString(generatedHeader + "# Configuration\n\n" +
		"The configuration file is `$XDG_CONFIG_HOME/lookout/config.toml`, unless `--config` or `LOOKOUT_CONFIG` " +
		"names another; `lookout config path` prints its path. lookout never changes it without asking. " +
		"Flags take precedence over the environment, the environment over the account's block, and the block over " +
		"the rest of the file.\n\n" +
		"```toml\n" + config.Example() + "```\n\n" +
		"`lookout config init` writes a file that explains every key, `lookout config validate` reports every " +
		"mistake, and `lookout config schema` prints a JSON schema.\n\n" +
		"## Top level\n\n")
	writeConfigKeys(&b, config.TopLevelKeys())
	b.WriteString(
		"\n## `[accounts.NAME]`\n\nSet at most one of `token_command`, `token_file`, `token_env`, `keyring` and " +
			"`linode_cli`. NAME also names the account's journal. A token of another user gets a journal, " +
			"maintenance windows, bookmarks and downloads of its own: lookout asks the API whose token it is with " +
			"`GET /profile`, a request that is not in the API's specification.\n\n" +
			"In the overview of all accounts, a `token_command` runs without a terminal, once, and again when you " +
			"press `r`.\n\n",
	)
	writeConfigKeys(&b, config.AccountKeys())
	for _, t := range config.Tables() {
		fmt.Fprintf(&b, "\n## `[%s]`\n\n%s\n\n```toml\n%s\n```\n", t.Title, t.Description, t.Example)
		switch t.Name {
		case "themes":
			b.WriteString("\n" + toneList())
		case "columns":
			b.WriteString("\n" + columnList())
		case "commands":
			b.WriteString(
				"\n[Recipes](recipes.md#actions-of-your-own) has commands for a runbook, a chat and a ticket.\n",
			)
		}
	}
	b.WriteString(
		"\n## `[keys]`\n\n" + config.KeysDescription +
			"\n\n## Environment\n\nThe variables of single settings are in the tables above. There are also:\n\n",
	)
	keys := slices.Concat(config.TopLevelKeys(), config.AccountKeys())
	for _, v := range config.EnvironmentVariables {
		if !slices.ContainsFunc(keys, func(s config.KeySpec) bool { return s.Env == v.Name }) {
			fmt.Fprintf(&b, "- `%s`: %s\n", v.Name, v.Meaning)
		}
	}
	return b.String()
}

func writeConfigKeys(b *strings.Builder, settings []config.KeySpec) {
	b.WriteString("| key, flag, variable | default | meaning |\n|---|---|---|\n")
	for _, s := range settings {
		names := "`" + s.Name + "`"
		if s.Flag != "" {
			names += ", `--" + s.Flag + "`"
		}
		if s.Env != "" {
			names += ", `" + s.Env + "`"
		}
		meaning := s.Description
		if s.HasChoices() {
			meaning += " Value: " + s.TypeName() + "."
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", names, s.DefaultText, meaning)
	}
}

// keysPage returns the page of all actions and their keys: those of the program, those that many panes share, and those
// of each pane. It says only once what an action does.
func keysPage(keys []shell.KeyBinding) string {
	identity := func(k shell.KeyBinding) string { return fmt.Sprint(k.Keys, k.Action, k.About, k.Change) }
	uses, panes := map[string]int{}, map[string]bool{}
	for _, k := range keys {
		uses[identity(k)]++
		panes[k.Pane] = true
	}
	sections, rows, told := []string{"program", sharedSection}, map[string]string{}, map[string]bool{}
	var tabs []string
	for _, k := range keys {
		section := k.Pane
		switch {
		case k.Pane == "program" && panes[k.Action]:
			tabs = append(tabs, keyNames(k.Keys)+" "+k.Action)
			continue
		case uses[identity(k)] < 5:
		case told[identity(k)]:
			continue
		default:
			section = sharedSection
		}
		row := escapeBars(keyNames(k.Keys)) + " | **" + k.Action
		if k.Change {
			row += `\*`
		}
		row += "**"
		if about, _, _ := strings.Cut(k.About, ";"); about != "" && !told[about] {
			told[about] = true
			row += ": " + escapeBars(about)
		}
		told[identity(k)] = true
		if !slices.Contains(sections, section) {
			sections = append(sections, section)
		}
		rows[section] += row + "\n"
	}
	var b strings.Builder
	b.WriteString(generatedHeader + "# Keys\n\n" + keysLead + "\n\nPanes: " + strings.Join(tabs, ", ") + ".\n")
	for _, section := range sections {
		b.WriteString("\n## " + section + "\n\n")
		if section == sharedSection {
			b.WriteString(sharedLead + "\n\n")
		}
		b.WriteString("keys | action\n---|---\n" + rows[section])
	}
	b.WriteString("\n## Filters\n\n" + filterLead + "\n\nfilter | matching rows\n---|---\n")
	for _, form := range filter.Syntax {
		fmt.Fprintf(&b, "`%s` | %s\n", escapeBars(form[0]), escapeBars(form[1]))
	}
	return b.String()
}

// keysLead stands above the keys.
const keysLead = "`?` shows the keys of the open pane, and [one page](one-page.md) has the main ones. A pane's own " +
	"keys take precedence. A star marks changes to the account. To change a default, write PANE.ACTION under " +
	"`[keys]` in the [configuration](configuration.md): `\"services.change window\" = [\"x\"]`."

// sharedSection is the heading of the keys that many panes have in common, and sharedLead explains them.
const (
	sharedSection = "Lists and pages"
	sharedLead    = "Lists have these keys, unless their own table says otherwise; where `enter` opens something, " +
		"`i` shows the details. Pages of text have only those that move. Only what opens from another pane goes up."
)

// keyNames returns keys as the pages write them.
func keyNames(keys []string) string {
	names := slices.Clone(keys)
	if i := slices.Index(names, " "); i >= 0 {
		names[i] = "space"
	}
	return "`" + strings.Join(names, "` `") + "`"
}

// escapeBars returns a text that can stand in a cell of a table.
func escapeBars(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// filterLead stands above the forms of a filter.
const filterLead = "`/` in a list shows only the rows that match: `state:problem|pending !group:web updated:<2h`. It " +
	"also searches hidden columns."

// manualPage returns the manual page.
func manualPage(root *cobra.Command) string {
	m := &manWriter{}
	m.line(`.TH LOOKOUT 1 "" "lookout" "User Commands"`)
	m.line(".nh\n.ad l") // paths and flags are not broken at hyphens
	m.section("NAME")
	m.text("lookout - " + root.Short)
	m.section("SYNOPSIS")
	m.text("lookout [flags]\nlookout COMMAND [flags]")
	m.section("DESCRIPTION")
	text, _, _ := strings.Cut(root.Long, "\n\nExit codes:")
	m.text(text)
	m.section("OPTIONS")
	own, _ := cli.Flags(root)
	m.flags(own)
	m.section("COMMON OPTIONS")
	m.text("Many commands have these options, and some of those above. The commands below only name them.")
	common := commonFlags(root)
	m.flags(common)
	m.section("COMMANDS")
	for _, c := range visibleCommands(root) {
		m.commandSection(c, common)
		for _, sub := range visibleCommands(c) {
			m.commandSection(sub, common)
		}
	}
	m.section("CONFIGURATION")
	m.text("$XDG_CONFIG_HOME/lookout/config.toml; lookout config init writes a file that explains every key.")
	writeManConfigKeys(m, config.TopLevelKeys(), "")
	writeManConfigKeys(m, config.AccountKeys(), "accounts.NAME.")
	for _, t := range config.Tables() {
		m.item(t.Title, t.Description)
	}
	m.item("keys", config.KeysDescription)
	m.section("FILTERS")
	m.text(strings.ReplaceAll(filterLead, "`", ""))
	for _, form := range filter.Syntax {
		m.item(form[0], strings.ReplaceAll(form[1], "`", ""))
	}
	m.section("ENVIRONMENT")
	for _, v := range config.EnvironmentVariables {
		m.item(v.Name, v.Meaning)
	}
	m.section("FILES")
	m.item("$XDG_CONFIG_HOME/lookout/config.toml", "the configuration; never written without asking")
	m.item("$XDG_STATE_HOME/lookout/NAME.journal", "what was changed in an account, mode 0600")
	m.section("EXIT STATUS")
	for _, c := range exit.Codes {
		m.item(fmt.Sprint(c.Code), c.Meaning)
	}
	return m.String()
}

// manWriter writes a manual page.
type manWriter struct{ strings.Builder }

func (p *manWriter) line(text string) { p.WriteString(text + "\n") }

func (p *manWriter) section(name string) { p.line(".SH " + name) }

// manWidth is the width of lists in the manual, which readers do not wrap.
const manWidth = 72

// text writes paragraphs, whose lines are kept, and indented lists.
func (p *manWriter) text(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		list := false
		for j, line := range strings.Split(paragraph, "\n") {
			switch isItem := strings.HasPrefix(line, "  "); {
			case isItem && !list:
				p.line(".nf")
				list = true
			case j > 0 && !list:
				p.line(".br")
			}
			if list {
				line = cli.WrapLines(line, manWidth)
			}
			for piece := range strings.SplitSeq(line, "\n") {
				p.line(escapeRoff(piece))
			}
		}
		if list {
			p.line(".fi")
		}
	}
}

// item writes a name and its meaning.
func (p *manWriter) item(name, about string) {
	p.line(".TP")
	p.line(`.B ` + escapeRoff(name))
	p.text(about)
}

func (p *manWriter) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) { p.item(cli.FlagUsage(f)) })
}

func (p *manWriter) commandSection(c *cobra.Command, common *pflag.FlagSet) {
	p.line(".SS " + escapeRoff(strings.TrimSuffix(c.UseLine(), " [flags]")))
	p.text(strings.TrimRight(c.Short, ".") + ".")
	if c.Long != "" {
		p.line(".PP")
		p.text(c.Long)
	}
	own, others := describedFlags(c, common)
	p.flags(own)
	p.line(".PP")
	p.text("Common options: " + strings.Join(others, ", ") + ".")
	if hasOwnExamples(c) {
		p.line(".PP\n.nf")
		for line := range strings.SplitSeq(c.Example, "\n") {
			p.line(escapeRoff(line))
		}
		p.line(".fi")
	}
}

func writeManConfigKeys(p *manWriter, settings []config.KeySpec, lead string) {
	for _, s := range settings {
		p.item(lead+s.Name, fmt.Sprintf("%s Value: %s. Default: %s.", s.Description, s.TypeName(), s.DefaultText))
	}
}

// escapeRoff escapes a line. It writes other characters than ASCII by number, so that readers need not guess the
// encoding.
func escapeRoff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// toneList returns the list of tones and their uses.
func toneList() string {
	var b strings.Builder
	for _, name := range theme.ToneNames() {
		fmt.Fprintf(&b, "%-12s%s\n", name, theme.ToneDescriptions()[name])
	}
	return "```\n" + b.String() + "```\n"
}

// columnList returns the list of lists and their columns.
func columnList() string {
	_, account, err := dashboard.NewFrozenDemo(context.Background(), shell.Preferences{})
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, l := range views.ColumnChoosers(account) {
		fmt.Fprintf(&b, "%-12s%s\n", l.Name(), strings.Join(l.ColumnNames(), ", "))
	}
	return "```\n" + b.String() + "```\n"
}
