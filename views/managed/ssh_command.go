package managed

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"lookout/client"
	"lookout/client/account"
)

// sshUser returns the user that support logs in as: root if the settings name none.
func sshUser(i *client.Instance) string {
	if !i.SSH.Known() {
		return account.UnknownText
	}
	return cmp.Or(i.SSH.User.String(), "root")
}

// sshAddress returns the address that support logs in at: "any" is any of the instance's.
func sshAddress(i *client.Instance) string {
	return cmp.Or(i.SSH.IP.String(), account.UnknownText)
}

// sshPort returns the port that support logs in at: 22 if the settings name none.
func sshPort(i *client.Instance) int {
	if i.SSH.Port == 0 {
		return 22
	}
	return i.SSH.Port
}

// sshArgs are the arguments of ssh for an instance, "" where the settings name no address to reach it at. An absent
// user is root and an absent port 22 ("Managed Instance Settings"). Text from the server never becomes an option:
// only a plain user name and a plain address are accepted.
func sshArgs(i *client.Instance) []string {
	ip, err := netip.ParseAddr(i.SSH.IP.Raw())
	if err != nil {
		return nil
	}
	user := cmp.Or(i.SSH.User.Raw(), "root")
	if !isPlainWord(user) || ip.Zone() != "" && !isPlainWord(ip.Zone()) {
		return nil
	}
	args := []string{}
	if port := i.SSH.Port; port != 0 && port != 22 {
		args = append(args, "-p", strconv.Itoa(port))
	}
	return append(args, "--", user+"@"+ip.String())
}

// isPlainWord reports whether the name of a user or of a zone of an IPv6 address is letters, digits, '.', '_' and '-',
// not starting with '-'.
func isPlainWord(word string) bool {
	for _, r := range word {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)) {
			return false
		}
	}
	return word != "" && word[0] != '-' && len(word) <= 32
}

// sshCommand is the ready command, or why there is none.
func sshCommand(i *client.Instance) (string, bool) {
	if args := sshArgs(i); args != nil {
		return "ssh " + strings.Join(slices.DeleteFunc(args, func(s string) bool { return s == "--" }), " "), true
	}
	switch i.SSH.IP.Raw() {
	case "":
		return "no ssh line: the address is unknown", false
	case "any":
		return "ssh " + cmp.Or(i.SSH.User.String(), "root") + "@… (any address)", false
	}
	return "no ssh line: user or address has unusual characters", false
}
