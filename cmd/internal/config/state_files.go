package config

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"lookout/client/statefile"
	"lookout/cmd/internal/exit"
)

// StateFolder returns the folder of the journals and of what was seen; "" if there is no place for it.
func (e Environment) StateFolder() string { return e.folder("XDG_STATE_HOME", xdg.StateHome) }

// JournalPath returns the path of the journal. Journals are kept per account, address and user: that of an account in
// the configuration is NAME.journal as long as the account's address and user stay the same; any other has the host and
// a short hash of address and user in its name. A file that an earlier version wrote, which did not tell tokens apart,
// belongs to the first token that is used with it. If an account's own token is replaced by another user's, that user
// has a journal with a hash in its name: see tokenRecord. The path is "" if there is no place for journals.
func (s Settings) JournalPath() string {
	if user := s.tokenRecord().otherUser(); user != "" {
		return s.hashedJournalPath(s.serverKey("user " + user))
	}
	return s.firstJournalPath()
}

// firstJournalPath returns the path of the journal of the account's first user, or of a token from flags or
// environment.
func (s Settings) firstJournalPath() string {
	user := s.tokenUser
	plain, shared := s.env.statePath(s.Account+".journal"), s.hashedJournalPath(s.serverKey(""))
	own := user == "" || s.TokenFile+s.TokenEnv+s.LinodeCLI == "" && len(s.TokenCommand) == 0 && !s.Keyring
	switch {
	case own && s.Source.BaseURL != "" && normalizeURL(s.BaseURL) == normalizeURL(s.Source.BaseURL) &&
		s.mayUse(plain, user):
		return plain
	case user == "" || own && exists(shared) && s.mayUse(shared, user):
		return shared
	}
	return s.hashedJournalPath(s.serverKey(user))
}

// hashedJournalPath returns the path of a journal that cannot have the account's plain name.
func (s Settings) hashedJournalPath(key string) string {
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:8]
	host := strings.NewReplacer(":", "-", "[", "", "]", "").Replace(s.Host())
	return s.env.statePath(s.Account + "@" + host + "-" + hash + ".journal")
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// userOfToken tells apart the users whose tokens come from flags or environment: it returns a fingerprint from which
// nobody can find the token. It returns "" for the account's own token, whatever its value: that one may be replaced
// from time to time; tokenRecord says whose it is.
func (s Settings) userOfToken() string {
	if s.TokenOverride.Get == nil {
		return ""
	}
	ctx := context.Background() // a variable or a file
	token, err := s.TokenOverride.Get(ctx)
	if err != nil {
		return ""
	}
	if block := s; block.TokenFile != "" || block.TokenEnv != "" || block.LinodeCLI != "" {
		block.TokenOverride = tokenSource{}
		if own, err := block.ReadToken(ctx); err == nil && own.Reveal() == token.Reveal() {
			return ""
		}
	}
	return s.tokenFingerprint(token)
}

// DownloadsPath returns where the dashboard keeps its unfinished downloads and copies: beside the journal, "" in the
// demo.
func (s Settings) DownloadsPath() string {
	if s.Demo {
		return ""
	}
	return besideJournal(s.JournalPath(), ".downloads")
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
	if s.Source.BaseURL != "" || s.Demo || s.BaseURL == "" {
		return s.Account
	}
	return s.Host()
}

// serverKey tells apart what may not share a file.
func (s Settings) serverKey(user string) string {
	return normalizeURL(s.BaseURL) + "\n" + s.LinodeCLI + "\n" + user
}

// normalizeURL returns an address in one spelling.
func normalizeURL(text string) string {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		return text
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// owner returns the file that says to which server and user a journal belongs, unless its name says that.
func owner(path string) statefile.StateFile {
	return statefile.New(besideJournal(path, ".server"))
}

// mayUse reports whether a journal is of this server and user. One that nobody has claimed is, and so is one that was
// claimed for any token: earlier versions wrote it.
func (s Settings) mayUse(path, user string) bool {
	claimed, err := owner(path).Read()
	if err != nil {
		return false
	}
	return len(claimed) == 0 || string(claimed) == s.serverKey(user) || string(claimed) == s.serverKey("")
}

// ClaimJournal records that the journal in use belongs to this server and user, if nobody has claimed it yet.
func (s Settings) ClaimJournal() error {
	path, key := s.firstJournalPath(), s.serverKey(s.tokenUser)
	claimed, err := owner(path).Read()
	if err != nil || string(claimed) == key || path == s.hashedJournalPath(key) && len(claimed) == 0 {
		return err
	}
	return owner(path).Replace([]byte(key))
}

// RenameStateFiles gives the journals of an account, and what stands beside them, the account's new name. It renames
// none if a name is taken or if one cannot be renamed. The returned function renames them back.
func (e Environment) RenameStateFiles(from, to string) (undo func() error, err error) {
	entries, err := os.ReadDir(e.StateFolder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journals: %w", err)
	}
	var renamed []string // what follows the account's name in each file's
	undo = func() (err error) {
		for _, rest := range renamed {
			err = errors.Join(err, renameFile(e.statePath(to+rest), e.statePath(from+rest)))
		}
		return err
	}
	var found []string
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), from)
		switch {
		case !ours || !isStateFile(rest):
		case exists(e.statePath(to + rest)):
			return nil, exit.Advise(
				fmt.Errorf("journals: %s already exists and belongs to an earlier account", e.statePath(to+rest)),
				"move it away first",
			)
		default:
			found = append(found, rest)
		}
	}
	for _, rest := range found {
		if err := renameFile(e.statePath(from+rest), e.statePath(to+rest)); err != nil {
			return nil, fmt.Errorf("journals: %w", errors.Join(err, undo()))
		}
		renamed = append(renamed, rest)
	}
	return undo, nil
}

// statePath returns the path of a file in the state folder; "" if there is none.
func (e Environment) statePath(name string) string {
	folder := e.StateFolder()
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, name)
}

// besideJournal returns the path of a file that is kept beside a journal; "" if the journal is kept nowhere.
func besideJournal(path, extension string) string {
	if path == "" {
		return ""
	}
	return strings.TrimSuffix(path, ".journal") + extension
}

// isStateFile reports whether a file is an account's, by what follows the account's name.
func isStateFile(rest string) bool {
	if strings.HasPrefix(rest, "@") {
		return true
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(rest, "."), ".")
	kinds := []string{"journal", "server", "user", "state", "downloads", "bookmarks"}
	return strings.HasPrefix(rest, ".") && slices.Contains(kinds, kind)
}
