package config

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"lookout/client/statefile"
)

// StateFolder returns the folder of the journals and of what was seen.
func StateFolder() string { return filepath.Join(xdg.StateHome, "lookout") }

// JournalPath returns the path of the journal. Journals are kept per account, address and user: that of an account in
// the configuration is NAME.journal as long as the account's address and user stay the same; any other has the host and
// a short hash of address and user in its name.
func (s Settings) JournalPath() string {
	own := s.plainJournalPath()
	if s.configured && sameServer(s.BaseURL, s.configuredURL) && s.mayUse(own) {
		return own
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(s.serverKey())))[:8]
	host := strings.NewReplacer(":", "-", "[", "", "]", "").Replace(s.Host())
	return filepath.Join(StateFolder(), s.Account+"@"+host+"-"+hash+".journal")
}

// DownloadsPath returns where the dashboard keeps its unfinished downloads: beside the journal, "" in the demo.
func (s Settings) DownloadsPath() string {
	if s.Demo {
		return ""
	}
	return strings.TrimSuffix(s.JournalPath(), ".journal") + ".downloads"
}

func (s Settings) plainJournalPath() string {
	return filepath.Join(StateFolder(), s.Account+".journal")
}

// Host returns the host of the address, with its port.
func (s Settings) Host() string {
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	return "unknown"
}

// DisplayName returns the name of the account, or the host if the account is in no configuration.
func (s Settings) DisplayName() string {
	if s.configured || s.Demo || s.BaseURL == "" {
		return s.Account
	}
	return s.Host()
}

// serverKey tells apart what may not share a file.
func (s Settings) serverKey() string { return normalizeURL(s.BaseURL) + "\n" + s.LinodeCLI + "\n" }

// sameServer reports whether two addresses are the same.
func sameServer(a, b string) bool { return normalizeURL(a) == normalizeURL(b) }

// normalizeURL returns an address in one spelling.
func normalizeURL(text string) string {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		return text
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// owner returns the file that says to which server and user the journal with the account's plain name belongs.
func owner(path string) statefile.StateFile {
	return statefile.New(strings.TrimSuffix(path, ".journal") + ".server")
}

// mayUse reports whether the journal with the account's plain name is of this server and user. One that nobody has
// claimed is: earlier versions wrote it.
func (s Settings) mayUse(path string) bool {
	claimed, err := owner(path).Read()
	return err == nil && (len(claimed) == 0 || string(claimed) == s.serverKey())
}

// ClaimJournal records that the journal with the account's plain name belongs to this server and user, if it is the one
// in use and nobody has claimed it yet.
func (s Settings) ClaimJournal() error {
	path := s.JournalPath()
	if path != s.plainJournalPath() {
		return nil
	}
	if claimed, err := owner(path).Read(); err != nil || len(claimed) > 0 {
		return err
	}
	return owner(path).Replace([]byte(s.serverKey()))
}
