// Command docgen writes the documentation that is derived from the program to a folder: command pages, manual,
// configuration, keys, completions and pictures. Beside that folder it writes the licences that the program embeds. It
// is not part of the shipped binary.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen DIR")
		os.Exit(2)
	}
	if err := writeDocs(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// writeDocs writes the pages and pictures to a folder.
func writeDocs(ctx context.Context, dir string) error {
	for _, generate := range []func(context.Context) (map[string]string, error){
		generateDocs, renderPictures, renderLicenses,
	} {
		pages, err := generate(ctx)
		if err != nil {
			return err
		}
		for name, text := range pages {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
