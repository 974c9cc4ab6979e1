package cli

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// bucketSums returns the SHA-256 of each object of a bucket whose name begins with a prefix, by name.
func (r *testEnv) bucketSums(place, prefix string) map[string]string {
	sums := map[string]string{}
	list := r.MustRun("objects", "list", place, prefix, "-r", "-o", "json", "--jq", ".[].name")
	for _, name := range strings.Split(strings.TrimSpace(list.Out), "\n") {
		if name = strings.Trim(name, `"`); name != "" {
			body := r.MustRun("objects", "get", place, name, "-").Out
			sums[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
		}
	}
	return sums
}

// cp and mv store the same bytes under other names, in the same bucket and in other clusters; only mv deletes sources.
func TestObjects_copyAndMoveKeepEveryByte(t *testing.T) {
	t.Parallel()
	for target, names := range map[string][]string{
		"us-east-1/acme-backups/new/": {"us-east-1/acme-backups/www/", "-r"},
		"us-east-1/acme-www/new/":     {"us-east-1/acme-backups/www/", "-r"},
		"eu-central-1/media/new/":     {"us-east-1/acme-backups/www/", "-r"},
	} {
		for _, move := range []bool{false, true} {
			t.Run(fmt.Sprint(target, move), func(t *testing.T) {
				r := newTestEnv(t, emulator.Options{})
				r.MustRun("objects", "put", "-r", testenv.Bucket, "www/", r.writeSite())
				before := r.bucketSums(testenv.Bucket, "www/")
				if len(before) != 7 {
					t.Fatal(before)
				}
				command, says, left := "cp", "7 of 7 files copied", 7
				if move {
					command, says, left = "mv", "7 of 7 files moved", 0
				}
				args := append(append([]string{"objects", command}, names...), target)
				r.CheckResult(r.Run(args...), exit.CodeOK, says)
				place := strings.TrimSuffix(target, "/new/")
				after := r.bucketSums(place, "new/")
				for name, sum := range before {
					if after["new/"+strings.TrimPrefix(name, "www/")] != sum {
						t.Errorf("%s: %s is not among %v", name, sum, after)
					}
				}
				if n := len(r.bucketSums(testenv.Bucket, "www/")); n != left {
					t.Errorf("%d sources are left, want %d", n, left)
				}
			})
		}
	}
}

// One object can be renamed, put into a folder under its own name, or selected by a pattern.
func TestObjects_moveNamesTheTargetLikePut(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"b.txt":            {"a.txt", "b.txt"},
		"dir/a.txt":        {"a.txt", "dir/"},
		"logs/1 logs/2":    {"x/*", "logs/"},
		"all/1 all/a.txt":  {"x/1", "a.txt", "all/"},
		"y/1 y/2 y/deep/3": {"x", "y", "-r"},
	} {
		t.Run(want, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			for _, name := range []string{"a.txt", "x/1", "x/2", "x/deep/3"} {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", name, "text of "+name)
			}
			line := []string{"objects", "mv"}
			for _, arg := range args {
				if arg != "-r" {
					arg = testenv.Bucket + "/" + arg
				}
				line = append(line, arg)
			}
			r.CheckResult(r.Run(line...), exit.CodeOK, " moved")
			for _, name := range strings.Fields(want) {
				r.MustRun("objects", "get", testenv.Bucket, name, "-")
			}
			if put, gone := r.ledgerCount("put object"), r.ledgerCount("delete object"); put != gone || put == 0 {
				t.Errorf("%d stored, %d deleted", put, gone)
			}
		})
	}
	r := newTestEnv(t, emulator.Options{})
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a.txt", "one")
	at := testenv.Bucket + "/"
	r.CheckResult(r.Run("objects", "mv", at+"a.txt", at+"a.txt"), exit.CodeFailure, "it has this name already")
	r.CheckResult(r.Run("objects", "mv", at+"a*", at+"b"), exit.CodeUsage, "TARGET must end with /")
	r.CheckResult(r.Run("objects", "mv", at+"none", at+"b"), exit.CodeNotFound)
	r.CheckResult(r.Run("objects", "mv", at, at+"b"), exit.CodeUsage, "with -r")
	if n := len(r.API.Ledger()); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// An object whose name ends with a slash is an object like any other: it can be named, copied, moved and removed, alone
// or among others.
func TestObjects_namesThatEndWithASlash(t *testing.T) {
	t.Parallel()
	at := testenv.Bucket + "/"
	for want, args := range map[string][]string{
		"to/dir/":         {"mv", at + "x/dir/", at + "to/"},
		"other":           {"mv", at + "x/dir/", at + "other"},
		"to/dir/ to/file": {"mv", at + "x/dir/", at + "x/file", at + "to/"},
		"y/":              {"mv", "-r", at + "x/dir/", at + "y/"},
		"to//":            {"mv", at + "x/d//", at + "to/"},
		"to/e/":           {"mv", at + "x/e*/", at + "to/"},
		"":                {"rm", testenv.Bucket, "x/dir/", "x/d//", "--yes"},
	} {
		r := newTestEnv(t, emulator.Options{})
		for _, name := range []string{"x/dir/", "x/file", "x/d//", "x/e/"} {
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", name, "text of "+name)
		}
		r.CheckResult(r.Run(append([]string{"objects"}, args...)...), exit.CodeOK)
		for _, name := range strings.Fields(want) {
			if s := r.MustRun("objects", "get", testenv.Bucket, name, "-"); !strings.HasPrefix(s.Out, "text of x/") {
				t.Errorf("%v: %q holds %q", args, name, s.Out)
			}
		}
		left := len(r.bucketSums(testenv.Bucket, "x/"))
		if gone := max(len(strings.Fields(want)), strings.Count(fmt.Sprint(args), "/ x/d//")*2); left != 4-gone {
			t.Errorf("%v: %d objects are left", args, left)
		}
		r.CheckResult(
			r.Run("objects", "cp", at+"x/none/", at+"to/"), exit.CodeNotFound, "x/none/: there is no such object",
		)
	}
}

// No source is deleted if its copy is not what was sent, cannot be read back, or if somebody changes either side.
func TestObjects_moveKeepsTheSourceUnlessTheCopyIsProved(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(r *testEnv, req *http.Request) bool{
		"the copy is replaced": func(r *testEnv, req *http.Request) bool {
			if isListing(req, "b.txt") && r.ledgerCount("put object") > 0 {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", "b.txt", "theirs")
			}
			return false
		},
		"the copy vanishes": func(r *testEnv, req *http.Request) bool {
			if isListing(req, "b.txt") && r.ledgerCount("put object") > 0 {
				emulator.DeleteObject(r.API, "us-east-1", "acme-backups", "b.txt")
			}
			return false
		},
		"the listing fails": func(r *testEnv, req *http.Request) bool {
			return isListing(req, "b.txt") && r.ledgerCount("put object") > 0
		},
		"the source changes": func(r *testEnv, req *http.Request) bool {
			if isListing(req, "a.txt") && r.ledgerCount("put object") > 0 {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a.txt", "newer")
			}
			return false
		},
		"the storage refuses": func(_ *testEnv, req *http.Request) bool { return req.Method == http.MethodPut },
		"the source fails": func(_ *testEnv, req *http.Request) bool {
			return req.Method == http.MethodGet && !strings.Contains(req.URL.Path, "/v4/")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a.txt", "one")
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if !spoil(r, req) {
					return false
				}
				http.Error(w, "no", http.StatusForbidden)
				return true
			})
			s := r.Run("objects", "mv", testenv.Bucket+"/a.txt", testenv.Bucket+"/b.txt")
			if s.Code == exit.CodeOK || !regexp.MustCompile("acme-backups/a.txt was (not )?moved").MatchString(s.Err) {
				t.Errorf("exit code %d:\n%s", s.Code, s.Err)
			}
			if n := r.ledgerCount("delete object"); n != 0 {
				t.Errorf("%d sources were deleted", n)
			}
		})
	}
}

// isListing reports whether a request lists the names that begin with a prefix.
func isListing(req *http.Request, prefix string) bool {
	return strings.HasSuffix(req.URL.Path, "/object-list") && req.URL.Query().Get("prefix") == prefix
}

// A move whose answers are lost ends as if they had arrived, and never sends an object twice.
func TestObjects_moveSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		t.Run(method, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a.txt", "one")
			r.API.InjectFault(
				"object "+strings.ToLower(method),
				emulator.Fault{ApplyFirst: true, Reset: true, Times: 1},
			)
			r.CheckResult(
				r.Run(
					"objects",
					"mv",
					testenv.Bucket+"/a.txt",
					testenv.Bucket+"/b.txt",
				),
				exit.CodeOK,
				"1 of 1 file moved",
			)
			if n, gone := r.ledgerCount("put object"), r.ledgerCount("delete object"); n != 1 || gone != 1 {
				t.Errorf("%d stored, %d deleted", n, gone)
			}
		})
	}
}

// An interrupted move is finished by the same command: what is there is not sent again.
func TestObjects_sameCommandFinishesAMove(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("objects", "put", "-r", testenv.Bucket, "www/", r.writeSite())
	before := r.bucketSums(testenv.Bucket, "www/")
	stored := r.ledgerCount("put object")
	r.API.InjectFault("object delete", emulator.Fault{Status: 403})
	args := []string{"objects", "mv", "-r", testenv.Bucket + "/www", testenv.Bucket + "/new"}
	s := r.Run(args...)
	r.CheckResult(s, exit.CodeDenied, "it was copied, but the source was not deleted")
	r.API.ClearFaults()
	r.CheckResult(r.Run(args...), exit.CodeOK, " moved")
	if n := r.ledgerCount("put object") - stored; n != 7 {
		t.Errorf("%d objects were sent, want 7", n)
	}
	after := r.bucketSums(testenv.Bucket, "new/")
	for name, sum := range before {
		if after["new/"+strings.TrimPrefix(name, "www/")] != sum {
			t.Errorf("%s is lost", name)
		}
	}
	if n := len(r.bucketSums(testenv.Bucket, "www/")); n != 0 {
		t.Errorf("%d sources are left", n)
	}
}

// A bucket that has two names is one bucket: moving an object onto itself by the other name changes nothing.
func TestObjects_moveKnowsABucketByBothNames(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceNow})
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a.txt", "one")
	r.CheckResult(
		r.Run("objects", "mv", "us-east-1/acme-backups/a.txt", "us-east/acme-backups/a.txt"), exit.CodeFailure,
		"it has this name already",
	)
	if n := len(r.API.Ledger()); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// What is too large for the API is named with what works instead, and the rest is moved.
func TestObjects_copyNamesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "x/small", "one")
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !isListing(req, "x/") {
			return false
		}
		fmt.Fprint(w, `{"data":[{"name":"x/large","etag":"d41d8cd98f00b204e9800998ecf8427e-700",`+
			`"last_modified":"2026-01-01T00:00:00.000Z","owner":"o","size":5368709121},`+
			`{"name":"x/small","etag":"f97c5d29941bfb1b2fdab0874906ab82","last_modified":"2026-01-01T00:00:00.000Z",`+
			`"owner":"o","size":3}],"is_truncated":false,"next_marker":null}`)
		return true
	})
	r.CheckResult(
		r.Run("objects", "cp", "-r", testenv.Bucket+"/x", testenv.Bucket+"/y"), exit.CodePartial,
		"x/large: it is larger than 5 GiB", "use rclone copyto; it is not copied", "1 of 2 files copied",
	)
}

// Every name that an object can have can be copied and moved, and is shown without its control characters.
func TestObjects_moveOfHostileNames(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	texts := map[string]string{}
	names := append(
		faulttest.HostileStrings(t, "D6"),
		"../up",
		"/abs",
		"a//b",
		"a/../b",
		".",
		"..",
		"a/./b",
		"nul\x00",
		"dir/",
	)
	for i, name := range names {
		if len(name) > 0 && len(name) <= 1000 && utf8.ValidString(name) && faulttest.InSample(4, i) {
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "odd/"+name, "text of "+name)
			texts[name] = "text of " + name
		}
	}
	total := len(texts)
	for _, command := range []string{"cp odd copy copied", "mv odd even moved"} {
		word := strings.Fields(command)
		s := r.Run("objects", word[0], "-r", testenv.Bucket+"/"+word[1], testenv.Bucket+"/"+word[2])
		r.CheckResult(s, exit.CodeOK, fmt.Sprintf("%d of %d files %s", total, total, word[3]))
		if strings.ContainsAny(s.Err, "\x1b\x07\u009b") || !utf8.ValidString(s.Err) {
			t.Errorf("control characters reach standard error: %q", s.Err)
		}
	}
	c, err := client.New(r.Base, client.NewSecret(testenv.Canary))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		for _, folder := range []string{"copy/", "even/"} {
			got, _, err := c.Objects.Peek(t.Context(), "us-east-1", "acme-backups", folder+name, "", 1<<20)
			if err != nil || string(got) != text {
				t.Errorf("%s%q: %q, %v", folder, name, got, err)
			}
		}
	}
}
