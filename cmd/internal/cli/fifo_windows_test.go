package cli

import (
	"errors"
)

func makeFIFO(string) error { return errors.New("no pipes with names") }
