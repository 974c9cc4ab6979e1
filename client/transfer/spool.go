package transfer

import (
	"errors"
	"io"
	"os"

	"lookout/client"
)

// Spool copies a stream into a file that only this user can read: an object is stored only with its size. The file is
// gone as soon as it is closed, however the program ends. The caller closes it.
func Spool(in io.Reader) (*os.File, error) {
	f, err := createUnnamed()
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(f, io.LimitReader(in, client.MaxPutSize+1))
	if err == nil && n > client.MaxPutSize {
		err = errors.New("it is larger than 5 GiB, the limit for one object; nothing was stored")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
