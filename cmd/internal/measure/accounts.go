//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// serve serves an emulated account on loopback, with a fault if any, and returns its address.
func (m *measurer) serve(seed string, faults ...string) (address string) {
	args := []string{"emulate", "--seed", seed}
	for _, fault := range faults {
		args = append(args, "--fault", fault)
	}
	c := exec.Command(m.lookout, args...)
	out, err := c.StdoutPipe()
	check(err)
	check(c.Start())
	m.atEnd(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	check(err)
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !found {
		panic(failure(fmt.Sprintf("the emulator says %q", line)))
	}
	return address
}

// serveHandler serves an account in this process.
func (m *measurer) serveHandler(h http.Handler) (address string) {
	server := httptest.NewServer(h)
	m.atEnd(server.Close)
	return server.URL + "/v4"
}

// serveHugeText serves the demo account, in which the notes of every service are a line of 7 MB.
func (m *measurer) serveHugeText() (address string) {
	api := emulator.New(emulator.Options{Token: "demo"})
	huge := []byte(`"notes":"` + strings.Repeat("x", 7<<20))
	return m.serveHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		api.ServeHTTP(recorder, r)
		answer := recorder.Body.Bytes()
		if r.URL.Path == "/v4/managed/services" {
			answer = bytes.Replace(answer, []byte(`"notes":"`), huge, 1)
		}
		w.Header().Set("Content-Type", recorder.Header().Get("Content-Type"))
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(answer)
	}))
}

// serveTenMillion serves the large account, whose bucket "million" has ten times as many objects.
func (m *measurer) serveTenMillion() (address string) {
	api := emulator.New(emulator.Options{Token: "demo", Seed: "large"})
	emulator.GenerateObjects(api, "us-east-1", "million", 10_000_000)
	return m.serveHandler(api)
}

// serveObject serves an object "large" of 256 MiB, from a storage that sends 20 MB/s over each connection and delays
// each answer.
func (m *measurer) serveObject(delay time.Duration) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	base := "http://" + l.Addr().String()
	api := emulator.New(emulator.Options{Token: "demo", BaseURL: base})
	emulator.StoreObject(api, "us-east-1", "acme-backups", "large", strings.Repeat("lookout ", 32<<20))
	api.InjectFault("object get", emulator.Fault{Delay: delay})
	ctx, cancel := context.WithCancel(context.Background())
	m.atEnd(cancel)
	go func() { _ = emulator.Serve(ctx, slowListener{l}, api) }()
	return base + "/v4"
}

// A slowListener accepts connections that each send 20 MB/s.
type slowListener struct{ net.Listener }

type slowConn struct {
	net.Conn
	free time.Time // when the next bytes may be sent
}

// Accept implements net.Listener.
func (l slowListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &slowConn{Conn: c}, err
}

// Write implements net.Conn.
func (c *slowConn) Write(data []byte) (sent int, err error) {
	for sent < len(data) && err == nil {
		time.Sleep(time.Until(c.free))
		var n int
		n, err = c.Conn.Write(data[sent:min(len(data), sent+64<<10)])
		sent += n
		if now := time.Now(); c.free.Before(now.Add(-10 * time.Millisecond)) {
			c.free = now
		}
		c.free = c.free.Add(time.Duration(n) * time.Second / 20e6)
	}
	return sent, err
}

// writeJournal writes the journal of an account with n finished changes of a contact, a minute apart.
func (m *measurer) writeJournal(account string, n int) {
	check(os.MkdirAll(filepath.Join(m.home, "lookout"), 0o700))
	var out bytes.Buffer
	for i := range n {
		at := time.Now().Add(time.Duration(i-n) * time.Minute).Format(time.RFC3339)
		fmt.Fprintf(&out, `{"intent":{"id":"old-%d","time":%q,"change":{"op":%q,"method":"PUT",`+
			`"path":"/v4/managed/contacts/1","kind":"contact","id":"1","label":"contact %d"}}}`+"\n",
			i, at, client.OpUpdateContact, i)
		fmt.Fprintf(&out, "{\"id\":\"old-%d\",\"outcome\":%q}\n", i, client.Applied)
	}
	check(os.WriteFile(filepath.Join(m.home, "lookout", account+".journal"), out.Bytes(), 0o600))
}

// writeFiles writes small files into 50 folders.
func (m *measurer) writeFiles(folder string, n int) {
	for i := range n {
		name := filepath.Join(folder, fmt.Sprintf("d%02d", i%50), fmt.Sprintf("%05d", i))
		check(os.MkdirAll(filepath.Dir(name), 0o700))
		check(os.WriteFile(name, fmt.Appendf(nil, "file %d", i), 0o600))
	}
}
