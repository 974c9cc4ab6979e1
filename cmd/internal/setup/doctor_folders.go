package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/statefile"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

// A checkedFolder is a folder that lookout keeps files in.
type checkedFolder struct {
	check   string
	path    string
	effect  string // of a folder that cannot be written
	fails   bool   // doctor then fails; otherwise it warns
	mayLink bool   // it may be a symbolic link
}

// checkFolders checks the folders of state and configuration.
func (d *Doctor) checkFolders() {
	for _, f := range []checkedFolder{{
		check:  "state folder",
		path:   d.Flags.Env.StateFolder(),
		effect: "no change can be recorded, so none is sent",
		fails:  true,
	}, {
		check:   "config folder",
		path:    d.Flags.Env.ConfigFolder(),
		effect:  "lookout cannot change the configuration",
		mayLink: true,
	}} {
		if f.path != "" {
			d.checkFolder(f)
		}
	}
}

// checkFolder checks that lookout can write into a folder, and that only its owner can read it.
func (d *Doctor) checkFolder(f checkedFolder) {
	trouble := func(err error, next string) {
		d.addFailure(f.check, exit.CodeFailure, err, next)
		if last := &d.Findings[len(d.Findings)-1]; !f.fails {
			last.State, last.exitCode = stateWarning, exit.CodeOK
		}
	}
	info, err := os.Lstat(f.path)
	if err == nil && f.mayLink && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(f.path)
	}
	there := !errors.Is(err, fs.ErrNotExist)
	switch {
	case there && err != nil:
		trouble(fmt.Errorf("%w: %s", err, f.effect), "use a path whose folders you can all read")
		return
	case there && info.Mode()&fs.ModeSymlink != 0:
		trouble(fmt.Errorf("%s is a symbolic link: %s", f.path, f.effect), "put the folder itself there")
		return
	case there && !info.IsDir():
		trouble(fmt.Errorf("%s is not a folder: %s", f.path, f.effect), "move that file away")
		return
	}
	if err := config.TryWriting(f.path); err != nil {
		trouble(fmt.Errorf("%w: %s", err, f.effect), adviceOnWriting(err))
		return
	}
	switch {
	case !there:
		d.addFinding(f.check, stateOK, f.path+" does not exist yet", "")
	case config.OwnedByOther(info):
		d.addFinding(
			f.check, stateWarning, f.path+" belongs to another user, who can read what lookout keeps there",
			"make it yours, or choose another with XDG_STATE_HOME or XDG_CONFIG_HOME",
		)
	default:
		d.checkMode(f.check, f.path, info, 0o700)
	}
}

// adviceOnWriting says what to do about a folder that cannot be written.
func adviceOnWriting(err error) string {
	failed, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "free some space on that disk"
	case isPath && errors.Is(err, fs.ErrPermission):
		return "make " + failed.Path + " writable by you"
	}
	return "choose another place with XDG_STATE_HOME or XDG_CONFIG_HOME"
}

// checkMode warns of a file or folder that others can read.
func (d *Doctor) checkMode(check, path string, info os.FileInfo, mode os.FileMode) {
	if runtime.GOOS != "windows" && info.Mode().Perm()&^mode&0o077 != 0 {
		d.addFinding(
			check, stateWarning, fmt.Sprintf("others can read %s (mode %04o)", path, info.Mode().Perm()),
			fmt.Sprintf("chmod %o %s", mode, path),
		)
		return
	}
	d.addFinding(check, stateOK, path, "")
}

// checkJournal checks that changes can be recorded, and what earlier runs have recorded and seen.
func (d *Doctor) checkJournal(path string) {
	const check = "journal"
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.addFinding(check, stateOK, path+" does not exist yet", "")
		return
	}
	j, err := journal.Open(path, d.settings.Account, time.Now)
	if err != nil {
		d.addFailure(
			check, exit.CodeFailure, err,
			"make it readable and writable by you: lookout sends no change that it cannot record",
		)
		return
	}
	defer j.Close()
	d.checkMode(check, path, info, 0o600)
	if n := j.UnreadableLines(); n > 0 {
		d.addFinding(
			check, stateWarning, fmt.Sprintf("%d unreadable lines, which lookout ignores", n),
			"none is needed; look at "+path+" if a change seems to be missing",
		)
	}
	d.checkSeen(statefile.New(strings.TrimSuffix(path, ".journal") + ".state"))
}

// checkSeen checks the file with what earlier runs have seen of the account.
func (d *Doctor) checkSeen(file statefile.StateFile) {
	next := "make it a file that you can read: nothing is remembered until then"
	data, err := file.Read()
	if err == nil {
		next = "none is needed: the dashboard sets it aside and starts a new one"
		_, err = incident.Load(data)
	}
	if err != nil {
		why := strings.TrimPrefix(exit.Text(err), "state: ")
		d.addFinding("state file", stateWarning, fmt.Sprintf("%s is not understood (%s)", file.Path(), why), next)
	}
}
