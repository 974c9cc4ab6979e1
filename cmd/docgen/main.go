// Command docgen writes the documentation that is derived from the program: command pages, manual, configuration,
// keys, completions and pictures. It is not part of the shipped binary.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{
		Use:           "docgen",
		Short:         "Write the documentation of lookout",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(docsCommand(), pictureCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}
