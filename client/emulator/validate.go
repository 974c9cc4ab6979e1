package emulator

import (
	"encoding/json"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// has reports whether the body has a member.
func (c *apiRequest) has(name string) bool { _, there := c.body[name]; return there }

// isNull reports whether a member is null.
func (c *apiRequest) isNull(name string) bool { return string(c.body[name]) == "null" }

// readString reads a member into a string and checks its length in characters. If the member is missing, the string
// stays as it is; null clears it.
func (c *apiRequest) readString(name string, into *string, low, high int) error {
	if !c.has(name) {
		return nil
	}
	if c.isNull(name) {
		if low > 0 && name != "group" {
			return invalidField(name, "%s cannot be null", name)
		}
		*into = ""
		return nil
	}
	var s string
	if json.Unmarshal(c.body[name], &s) != nil {
		return invalidField(name, "%s must be a string", name)
	}
	if n := utf8.RuneCountInString(s); n < low || n > high {
		return invalidField(name, "Length must be %d-%d characters", low, high)
	}
	*into = s
	return nil
}

// readInt reads a member into an integer and checks its range.
func (c *apiRequest) readInt(name string, into *int, low, high int) error {
	if !c.has(name) {
		return nil
	}
	var n int
	if json.Unmarshal(c.body[name], &n) != nil || n < low || n > high {
		return invalidField(name, "Must be %d-%d", low, high)
	}
	*into = n
	return nil
}

// readEnum reads a member that must be one of values.
func (c *apiRequest) readEnum(name string, into *string, values ...string) error {
	if !c.has(name) {
		return nil
	}
	var s string
	if json.Unmarshal(c.body[name], &s) != nil || !slices.Contains(values, s) {
		return invalidField(name, "Must be one of %s", strings.Join(values, ", "))
	}
	*into = s
	return nil
}

// readBool reads a boolean member.
func (c *apiRequest) readBool(name string, into *bool) error {
	if !c.has(name) {
		return nil
	}
	if json.Unmarshal(c.body[name], into) != nil {
		return invalidField(name, "%s must be a boolean", name)
	}
	return nil
}

// require returns an error if members are missing or null.
func (c *apiRequest) require(names ...string) error {
	f := &apiError{status: 400}
	for _, name := range names {
		if !c.has(name) || c.isNull(name) {
			f.reasons = append(f.reasons, errorReason{name + " is required", name})
		}
	}
	if f.reasons != nil {
		return f
	}
	return nil
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// validEmail reports whether s is an email address.
func validEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && strings.Contains(s, ".")
}

// privateAddress reports whether a service's address is a private IP: alone, with a port, or as the host of a URL.
func privateAddress(address string) bool {
	host := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Host
	}
	if ap, err := netip.ParseAddrPort(host); err == nil {
		return ap.Addr().IsPrivate()
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsPrivate()
}
