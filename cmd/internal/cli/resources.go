package cli

import (
	"cmp"
	"fmt"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
)

// resourceCommands returns the commands of all kinds of objects: those that views declares, with what only scripts do,
// and those of scripts alone.
func resourceCommands() []scriptResource {
	byHand := map[string]func(scriptResource) scriptResource{
		"buckets":  bucketCommands,
		"objects":  objectCommands,
		"keys":     accessKeyCommands,
		"services": serviceCommands,
		"issues":   issueCommands,
	}
	var commands []scriptResource
	for _, r := range declaredResources() {
		if add := byHand[r.name]; add != nil {
			r = add(r)
		}
		commands = append(commands, r)
	}
	return append(commands, storageResource(), journalResource())
}

// checkArg checks an argument of the command line with the form field that is bound to it.
func checkArg(name, value string, field form.Field) error {
	for _, p := range form.Problems([]form.Field{field}) {
		return exit.Usage(fmt.Errorf("%s %s: %s", name, cmp.Or(client.Clean(value), `""`), p.Text))
	}
	return nil
}
