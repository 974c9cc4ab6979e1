//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/testenv"
)

// A fakeRelease serves a release as the repository does.
type fakeRelease struct {
	files  map[string][]byte // by name
	latest string            // tag of the newest release
}

func (f *fakeRelease) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch data, known := f.files[path.Base(req.URL.Path)]; {
	case req.URL.Path == "/releases/latest":
		http.Redirect(w, req, "/releases/tag/"+f.latest, http.StatusFound)
	case req.URL.Path == "/releases/tag/"+f.latest:
	case known && path.Dir(req.URL.Path) == "/releases/download/"+f.latest:
		_, _ = w.Write(data)
	default:
		http.NotFound(w, req)
	}
}

// newFakeRelease returns a release whose program is a shell script.
func newFakeRelease(t *testing.T) (release *fakeRelease, archive string) {
	t.Helper()
	arch, known := map[string]string{
		"amd64": "amd64", "arm64": "arm64", "arm": "armv7", "riscv64": "riscv64",
	}[runtime.GOARCH]
	if !known {
		t.Skip("there is no release for this machine")
	}
	archive = "lookout_1.2.3_" + runtime.GOOS + "_" + arch + ".tar.gz"
	program := "#!/bin/sh\necho lookout 1.2.3\n"
	var data bytes.Buffer
	compressed := gzip.NewWriter(&data)
	files := tar.NewWriter(compressed)
	for name, text := range map[string]string{"LICENSE": "MIT\n", "lookout": program} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		_, _ = files.Write([]byte(text))
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(data.Bytes()))
	return &fakeRelease{
		latest: "v1.2.3",
		files: map[string][]byte{
			archive: data.Bytes(),
			"checksums.txt": []byte(
				strings.Repeat("0", 64) + "  lookout_1.2.3_plan9_386.tar.gz\n" + sum + "  " + archive + "\n",
			),
			"checksums.txt.sigstore.json": []byte("signature"),
		},
	}, archive
}

// An installation is one run of docs/install.sh.
type installation struct {
	name   string
	spoil  func(release *fakeRelease, archive string)
	cosign string // script in place of cosign; "" if there is none
	args   string
	want   string // part of the output
	failed bool
}

// cosignChecks accepts a signature as cosign does, if the script asks for it as it must.
const cosignChecks = `#!/bin/sh
[ "$(cat checksums.txt.sigstore.json)" = signature ] || exit 1
case "$*" in
"verify-blob --bundle checksums.txt.sigstore.json --certificate-identity https://github.com/"*"/.github/workflows/` +
	`release.yml@refs/tags/v1.2.3 --certificate-oidc-issuer https://token.actions.githubusercontent.com ` +
	`checksums.txt") ;;
*) exit 1 ;;
esac
`

func installations() []installation {
	return []installation{
		{name: "newest", cosign: cosignChecks, want: "installed lookout 1.2.3"},
		{name: "a version", cosign: cosignChecks, args: "--version v1.2.3", want: "installed lookout 1.2.3"},
		{name: "no signature wanted", args: "--no-signature", want: "installed lookout 1.2.3"},
		{name: "no cosign", want: "cosign is needed", failed: true},
		{name: "unknown version", cosign: cosignChecks, args: "--version 9.9.9", want: "cannot be read", failed: true},
		{name: "unknown flag", args: "--force", want: "unknown argument --force", failed: true},
		{
			name:   "forged signature",
			spoil:  func(f *fakeRelease, _ string) { f.files["checksums.txt.sigstore.json"] = []byte("forged") },
			cosign: cosignChecks,
			want:   "the signature of checksums.txt is wrong",
			failed: true,
		},
		{
			name:   "signature missing",
			spoil:  func(f *fakeRelease, _ string) { delete(f.files, "checksums.txt.sigstore.json") },
			cosign: cosignChecks,
			want:   "cannot be read",
			failed: true,
		},
		{
			name:   "damaged archive",
			spoil:  func(f *fakeRelease, archive string) { f.files[archive][20] ^= 1 },
			cosign: cosignChecks,
			want:   "the checksum of lookout_1.2.3_",
			failed: true,
		},
		{
			name:   "damaged archive, no signature wanted",
			spoil:  func(f *fakeRelease, archive string) { f.files[archive][20] ^= 1 },
			args:   "--no-signature",
			want:   "the checksum of lookout_1.2.3_",
			failed: true,
		},
		{
			name:   "no checksum",
			spoil:  func(f *fakeRelease, _ string) { f.files["checksums.txt"] = nil },
			cosign: cosignChecks,
			want:   "checksums.txt does not name lookout_1.2.3_",
			failed: true,
		},
	}
}

// The install script installs what is signed and undamaged, and otherwise leaves the installed version as it is.
func TestInstallScript(t *testing.T) {
	tools := t.TempDir()
	for _, tool := range strings.Fields("sh curl tar gzip uname mktemp rm grep chmod mkdir mv cat") {
		found, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("%s is not installed", tool)
		}
		if err := os.Symlink(found, filepath.Join(tools, tool)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"sha256sum", "shasum"} { // one of them is enough
		if found, err := exec.LookPath(tool); err == nil {
			_ = os.Symlink(found, filepath.Join(tools, tool))
		}
	}
	for _, c := range installations() {
		t.Run(c.name, func(t *testing.T) { c.run(t, tools) })
	}
}

// run runs the script with nothing in PATH but tools.
func (c installation) run(t *testing.T, tools string) {
	release, archive := newFakeRelease(t)
	if c.spoil != nil {
		c.spoil(release, archive)
	}
	server := httptest.NewServer(release)
	defer server.Close()
	own, to := t.TempDir(), filepath.Join(t.TempDir(), "bin")
	writeProgram(t, filepath.Join(to, "lookout"), "earlier")
	if c.cosign != "" {
		writeProgram(t, filepath.Join(own, "cosign"), c.cosign)
	}
	script := filepath.Join(testenv.RepoRoot(t), "docs", "install.sh")
	run := exec.Command("/bin/sh", append([]string{script, "--to", to}, strings.Fields(c.args)...)...)
	run.Env = []string{
		"HOME=" + own, "TMPDIR=" + own, "PATH=" + own + ":" + tools, "LOOKOUT_RELEASES=" + server.URL + "/releases",
	}
	output, err := run.CombinedOutput()
	if (err != nil) != c.failed || !strings.Contains(string(output), c.want) {
		t.Errorf("%v: %s", err, output)
	}
	installed, err := os.ReadFile(filepath.Join(to, "lookout"))
	if err != nil || strings.Contains(string(installed), "1.2.3") == c.failed {
		t.Errorf("installed: %q, %v", installed, err)
	}
	for _, folder := range []string{own, to} {
		left, err := os.ReadDir(folder)
		if err != nil || len(left) > 1 {
			t.Errorf("left in %s: %v, %v", folder, left, err)
		}
	}
}

// writeProgram writes a file that can be run.
func writeProgram(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// The commands of the page leave nothing of lookout behind: no file, and no token in the keyring.
func TestUpgradingPage_removesEverything(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	_, block, _ := strings.Cut(readPage(t, "docs/upgrading.md"), "## How to remove lookout")
	_, block, _ = strings.Cut(block, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	file := filepath.Join(r.Home, "config", "lookout", "production.token")
	for _, tokenLine := range []string{fmt.Sprintf("token_file = %q", file), "keyring = true"} {
		if tokenLine != "keyring = true" {
			r.Write(file, testenv.Canary)
		} else if err := keyring.Set(config.KeyringService, "production", testenv.Canary); err != nil {
			t.Fatal(err)
		}
		r.Write(filepath.Join(r.Home, ".local/bin/lookout"), "")
		r.Write(filepath.Join(r.Home, ".config/fish/completions/lookout.fish"), "")
		r.WriteConfig("[accounts.production]\nbase_url = \"" + r.Base + "\"\n" + tokenLine + "\n")
		r.MustRun("services", "disable", "web-1")
		r.MustRun("__complete", "services", "get", "")
		for line := range strings.Lines(block) {
			if words := commandWords(strings.TrimSpace(line)); len(words) > 0 && words[0] == "lookout" {
				r.MustRun(append(words[1:], confirmationArgs(words[1:])...)...)
			} else if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", line, err, out)
			}
		}
		if _, err := keyring.Get(config.KeyringService, "production"); err == nil {
			t.Error("the token is still in the keyring")
		}
		_ = filepath.WalkDir(r.Home, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				t.Errorf("%s is left behind", name)
			}
			return err
		})
	}
}
