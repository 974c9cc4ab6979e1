package storage

import (
	"testing"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/lists"
	"lookout/client/transfer"
	"lookout/ui"
)

// The message about the start of transfers is outdated once all of them have ended: the one about their end may have
// been shown before it.
func TestTransfersStarted_messageIsOutdatedByTheEnd(t *testing.T) {
	emu := emulator.New(emulator.Options{Token: "t"})
	defer emu.HoldRequests("*")()
	api, err := client.New("https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(emu))
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{Executor: &lists.Inline{}, API: api})
	var ids []transfer.ID
	for _, name := range []string{"one", "two"} {
		id, err := a.Transfers.Download(transfer.DownloadRequest{
			Cluster: "us-east-1",
			Bucket:  "logs",
			Object:  client.Object{Name: client.NewText(name)},
			Folder:  t.TempDir(),
			Path:    name,
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	message := transfersStarted(a, "", "downloading 2 files", ids...)()().(ui.StatusMsg)
	if message.Outdated() {
		t.Error("the message is outdated before anything has ended")
	}
	a.Transfers.Cancel(ids[0])
	if message.Outdated() {
		t.Error("the message is outdated while a transfer is left")
	}
	a.Transfers.Cancel(ids[1])
	a.Transfers.Wait()
	if !message.Outdated() {
		t.Error("the message is not outdated after all transfers have ended")
	}
}
