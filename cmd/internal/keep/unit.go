package keep

import (
	"fmt"
	"strings"
)

// SystemdUnit returns a systemd user unit that runs a program with arguments.
func SystemdUnit(program string, args []string) string {
	words := make([]string, 0, len(args)+1)
	for _, word := range append([]string{program}, args...) {
		words = append(words, quoteSystemd(word))
	}
	return `# ~/.config/systemd/user/lookout-keep.service
# systemctl --user enable --now lookout-keep; loginctl enable-linger "$USER" keeps it running after logout.
# It does not see the variables of your shell: use token_file, token_command or the keyring.
[Unit]
Description=End the maintenance windows of lookout on time
Documentation=man:lookout(1)

[Service]
ExecStart=` + strings.Join(words, " ") + `
Restart=always
RestartSec=10

[Install]
WantedBy=default.target
`
}

// quoteSystemd quotes a word of a command line for systemd, which expands % and $ in it.
func quoteSystemd(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word) + `"`
}

// LaunchdPlist returns a launchd agent that runs a program with arguments.
func LaunchdPlist(program string, args []string) string {
	var words strings.Builder
	for _, word := range append([]string{program}, args...) {
		words.WriteString("\t\t<string>" + escapeXML(word) + "</string>\n")
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/lookout-keep.plist
     launchctl load -w ~/Library/LaunchAgents/lookout-keep.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>lookout-keep</string>
	<key>ProgramArguments</key>
	<array>
%s	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<true/>
</dict>
</plist>
`, words.String())
}

// escapeXML escapes what has a meaning in the text of an XML element.
func escapeXML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
}
