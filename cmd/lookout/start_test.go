package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faultrig"
)

// A key of safety that is misspelt, misplaced or of another type refuses the start: nothing is sent that it would have forbidden.
func TestKeysOfSafetyAreNotPassedOver(t *testing.T) {
	r := newRig(t, emulator.Options{})
	id := r.idOf("services", "edge-router")
	account := "[accounts.prod]\nbase_url = \"" + r.base + "\"\n"
	for text, said := range map[string]string{
		account + "readonly = true\n":                               `is "read_only" meant`,
		account + "read-only = true\n":                              `is "read_only" meant`,
		account + "Read_Only = true\n":                              `is "read_only" meant`,
		account + "READ_ONLY = true\n":                              `is "read_only" meant`,
		account + "protect = true\n":                                `is "protected" meant`,
		account + "protected = \"yes\"\n":                           "true or false",
		"read_only = true\n" + account:                              "it belongs beneath [accounts.NAME]",
		"readonly = true\n" + account:                               `is "read_only" meant? It belongs beneath [accounts.NAME]`,
		"[acounts.prod]\nread_only = true\n":                        `is "accounts" meant`,
		account + "acount = \"prod\"\n":                             `is "account" meant? It belongs at the top`,
		account + "[keys]\nread_only = true\n":                      "it belongs beneath [accounts.NAME]",
		account + "[keys]\nread_only = [\"true\"]\n":                "it belongs beneath [accounts.NAME]",
		account + "[columns]\nprotected = true\n":                   "it belongs beneath [accounts.NAME]",
		account + "[themes.mine]\nbad = \"red\"\nreadonly = true\n": "It belongs beneath [accounts.NAME]",
		account + "[themes]\nread_only = true\n":                    "it belongs beneath [accounts.NAME]",
	} {
		faultrig.Row(t, "G2", "safety: "+strings.ReplaceAll(text, account, "[accounts.prod]\n"), func(t *testing.T) {
			r := &rig{T: t, api: r.api, base: r.base, home: r.home}
			r.configured(text)
			r.bad(r.run("services", "disable", id), exitUsage, said, "config.toml:")
			if _, err := os.Stat(filepath.Join(r.home, "state")); err == nil {
				t.Error("a change was sent")
			}
		})
	}
	// What is far from every key of safety is told and passed over, as are looks.
	r.configured(account + "clour = \"red\"\nnonsense = 1\n[keys]\ndisable = [\"d\"]\n")
	r.bad(r.run("services", "list"), exitOK, `is "color" meant`, "nonsense: this key is unknown", "PANE.ACTION")
}

// What the dashboard refuses or leaves out, doctor tells too.
func TestDoctorFindsWhatTheDashboardRefuses(t *testing.T) {
	r := newRig(t, emulator.Options{})
	for name, one := range map[string]struct {
		text, said string
		code       int
	}{
		"bound twice":  {"[keys]\n\"services.disable\" = [\"d\", \"e\"]\n", "bound twice", exitUsage},
		"no action":    {"[keys]\n\"services.disabel\" = [\"d\"]\n", `is "services.disable" meant`, exitOK},
		"no column":    {"[columns]\nservices = [\"nothing\"]\n", `there is no column "nothing"`, exitOK},
		"no list":      {"[columns]\nservers = [\"state\"]\n", "there is no such list", exitOK},
		"nothing else": {"[keys]\n\"services.disable\" = [\"x\"]\n", "ok       configuration", exitOK},
	} {
		faultrig.Row(t, "G2", "doctor: "+name, func(t *testing.T) {
			r := &rig{T: t, api: r.api, base: r.base, home: r.home}
			r.configured(one.text)
			r.bad(r.run("doctor"), one.code, one.said)
		})
	}
}
