package account

import "lookout/client"

// MissingScope returns why the token cannot perform an operation of the client; "" if it can, or if its scopes are not
// known yet.
func (a *Account) MissingScope(op string) string {
	needed, have := client.RequiredScope(op), a.API.Scopes()
	lacking := have != "" && have != "unknown" && !client.ScopesAllow(have, needed)
	return ReasonIf(lacking, "the token has "+have+"; this needs "+needed)
}
