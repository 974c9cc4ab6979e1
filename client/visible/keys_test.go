package visible

import (
	"encoding/json"
	"strings"
	"testing"
)

// secretLines are the lines of a key that nobody has.
const secretLines = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcanarycanarycana\n" +
	"rycanarycanarycanarycanaryhRANCAATcanarycanarycanarycanarycanary+\ncanary/canary=="

// keyAs is a private key of a kind, with its lines between another beginning and end.
func keyAs(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + secretLines + "\n-----END " + kind + "-----"
}

// The contents of private keys are masked in every notation, and nothing around them is.
func TestMaskKeys(t *testing.T) {
	t.Parallel()
	const masked = "-----BEGIN PRIVATE KEY-----•••-----END PRIVATE KEY-----"
	key := keyAs("PRIVATE KEY")
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(key) }
	quoted, _ := json.Marshal(map[string]string{"notes": key, "label": "web"})
	twice, _ := json.Marshal(string(quoted))
	for text, want := range map[string]string{
		key:                                      masked,
		"before " + key + " after\nmore":         "before " + masked + " after\nmore",
		replace("\n", "\r\n"):                    masked,
		replace("\n", "\r"):                      masked,
		replace("\n", "\n  "):                    masked,
		replace("\n", " "):                       masked,
		replace("\n", ""):                        masked,
		replace("\n", `\n`):                      masked,
		replace("\n", `\\n`):                     masked,
		replace("\n", "‹␊›"):                     masked,
		replace("\n", "\n> "):                    masked,
		string(quoted):                           `{"label":"web","notes":"` + masked + `"}`,
		string(twice):                            `"{\"label\":\"web\",\"notes\":\"` + masked + `\"}"`,
		key + key:                                masked + masked,
		masked:                                   masked,
		"curl --data '" + string(quoted) + "' x": `curl --data '{"label":"web","notes":"` + masked + `"}' x`,
		keyAs("RSA PRIVATE KEY"):                 "-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----",
		keyAs("CERTIFICATE"):                     keyAs("CERTIFICATE"),
		keyAs("PUBLIC KEY"):                      keyAs("PUBLIC KEY"),
		keyAs("CERTIFICATE") + key:               keyAs("CERTIFICATE") + masked,
		key[:len(key)-30]:                        "-----BEGIN PRIVATE KEY-----•••",
		key[:80]:                                 "-----BEGIN PRIVATE KEY-----•••",
		key[:80] + "\n" + key:                    "-----BEGIN PRIVATE KEY-----•••\n" + masked,
		`{"a":"` + key[:80] + `","b":1}`:         `{"a":"-----BEGIN PRIVATE KEY-----•••","b":1}`,
		"paste the -----BEGIN PRIVATE KEY----- line": "paste the -----BEGIN PRIVATE KEY----- line",
		"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n" +
			secretLines[:90]: "-----BEGIN RSA PRIVATE KEY-----•••",
		"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"me\"\n" + secretLines +
			"\n---- END SSH2 ENCRYPTED PRIVATE KEY ----": "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----•••" +
			"---- END SSH2 ENCRYPTED PRIVATE KEY ----",
	} {
		got := MaskKeys(text)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if again := MaskKeys(got); again != got {
			t.Errorf("masked again, %q becomes %q", got, again)
		}
	}
	for _, kind := range []string{"OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY"} {
		if got, want := MaskKeys(keyAs(kind)), "-----BEGIN "+kind+"-----•••-----END "+kind+"-----"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	putty := "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n" + secretLines + "\nPrivate-MAC: 00\n"
	got := MaskKeys(putty)
	if strings.Contains(got, "canary") || !strings.HasPrefix(got, "PuTTY-User-Key-File-3: ssh-rsa\n") {
		t.Errorf("%q", got)
	}
}

// A key that is cut off in one member of an object does not hide the next, and the text stays JSON.
func TestEscapeJSON_masksEachMember(t *testing.T) {
	t.Parallel()
	key := keyAs("PRIVATE KEY")
	in, _ := json.Marshal(map[string]string{"a": key[:100], "b": "x\u202e", "c": key, "d": "-----END PRIVATE KEY-----"})
	var got map[string]string
	if err := json.Unmarshal(EscapeJSON(in), &got); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]string{
		"a": "-----BEGIN PRIVATE KEY-----•••",
		"b": "x\u202e",
		"c": "-----BEGIN PRIVATE KEY-----•••-----END PRIVATE KEY-----",
		"d": "-----END PRIVATE KEY-----",
	} {
		if got[member] != want {
			t.Errorf("%s is %q, want %q", member, got[member], want)
		}
	}
}
