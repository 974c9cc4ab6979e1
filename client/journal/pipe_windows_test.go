package journal

import "errors"

func pipe(string) error { return errors.New("there are no named pipes in folders") }
