package cli

import (
	"cmp"
	"fmt"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
)

// resourceCommands returns the commands of all kinds of objects.
func resourceCommands() []resourceCommand {
	declared := declaredResources()
	return []resourceCommand{
		declared["services"],
		declared["issues"],
		declared["contacts"],
		declared["credentials"],
		declared["ssh"],
		declared["stats"],
		bucketCommands(declared["buckets"]),
		objectCommands(declared["objects"]),
		certificatesResource(),
		accessKeyCommands(declared["keys"]),
		declared["clusters"],
		storageResource(),
		declared["transfer"],
		journalResource(),
	}
}

// checkArg checks an argument of the command line with the form field that is bound to it.
func checkArg(name, value string, field form.Field) error {
	for _, p := range form.Problems([]form.Field{field}) {
		return exit.Usage(fmt.Errorf("%s %s: %s", name, cmp.Or(client.Clean(value), `""`), p.Text))
	}
	return nil
}
