//go:build unix

package transfer

import (
	"errors"
	"os"
)

// createUnnamed creates a file for this user alone, without a name.
func createUnnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "lookout-put-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
