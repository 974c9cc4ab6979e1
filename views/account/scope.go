package account

import (
	"strings"

	"lookout/client"
)

// MissingScope returns why the token cannot perform an operation of the client; "" if it can, or if its scopes are not
// known yet.
func (a *Account) MissingScope(op string) string {
	needed, have := client.RequiredScope(op), a.API.Scopes()
	area, _, _ := strings.Cut(needed, ":")
	for _, s := range strings.FieldsFunc(have, func(r rune) bool { return r == ' ' || r == ',' }) {
		if s == "*" || s == needed || s == area+":*" || s == area+":read_write" {
			return ""
		}
	}
	return ReasonIf(have != "" && have != "unknown", "the token has "+have+"; this needs "+needed)
}
