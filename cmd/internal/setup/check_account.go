package setup

import (
	"cmp"
	"context"
	"errors"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

// An AccountCheck says whether an account's token works, and what it cannot read.
type AccountCheck struct {
	Account string     `json:"account"`
	State   checkState `json:"state"`
	User    string     `json:"user,omitempty"`
	Text    string     `json:"text"`
	Next    string     `json:"next,omitempty"`
	Code    int        `json:"-"` // the exit code
}

// CheckAccount reads an account's token and the first rows of every list.
func CheckAccount(ctx context.Context, s config.Settings) AccountCheck {
	token, err := s.ReadToken(ctx)
	if err != nil {
		return failedCheck(s, exit.Denied(err), "lookout accounts token "+s.Account+" stores another one")
	}
	return CheckToken(ctx, s, token)
}

// CheckToken tries a token on an account.
func CheckToken(ctx context.Context, s config.Settings, token client.Secret) AccountCheck {
	c, err := s.NewClient(token, nil)
	if err != nil {
		return failedCheck(s, exit.Denied(err), "copy the token again")
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	switch {
	case errors.As(err, &failure) && failure.Unauthorized():
		return failedCheck(s, err, "lookout accounts token "+s.Account+" stores another one")
	case errors.As(err, &failure) && !deniedByAPI(failure):
		return failedCheck(s, err, cmp.Or(failure.Advice(), "try again later"))
	}
	result := AccountCheck{Account: s.Account, State: stateOK, Text: "every list can be read"}
	if user, err := c.Profile(ctx); err == nil {
		result.User = user.Username.String()
	}
	panes := readPanes(ctx, c)
	closed, unknown := panesThat(mayNothing, panes), panesThat(mayNotKnown, panes)
	switch {
	case readNothing(panes):
		return failedCheck(s, exit.Denied(errReadsNothing), adviceFor(mayNothing, panes))
	case closed != "":
		result.State, result.Text, result.Next = stateWarning, "cannot be read: "+closed, adviceFor(mayNothing, panes)
	case unknown != "":
		result.State, result.Text = stateUnknown, "not known: "+unknown
		result.Next = adviceFor(mayNotKnown, panes)
	}
	return result
}

// failedCheck returns the result of a check that failed.
func failedCheck(s config.Settings, err error, next string) AccountCheck {
	text, own := exit.SplitAdvice(err)
	return AccountCheck{
		Account: s.Account,
		State:   stateFailed,
		Text:    oneLine(text),
		Next:    oneLine(cmp.Or(own, next)),
		Code:    exit.CodeFor(err),
	}
}
