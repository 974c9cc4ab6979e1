// Command lookout is a terminal dashboard for an account's Managed monitoring and Object Storage.
package main

import (
	"os"

	"lookout/cmd/internal/cli"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the program without its process.
func run(args []string) int {
	protectMemory()
	return cli.Execute(nil, args, os.Stdin, os.Stdout, os.Stderr)
}
