package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Serve answers on a listener until ctx ends. Only this machine's own addresses are served, and no page of a browser
// is.
func Serve(ctx context.Context, l net.Listener, e *Emulator) error {
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil || !addr.Addr().IsLoopback() {
		l.Close()
		return fmt.Errorf(
			"the emulator listens on this machine's own addresses only (127.0.0.1 or [::1]), not on %s",
			l.Addr(),
		)
	}
	server := &http.Server{
		Handler:           localOnly(e),
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    1 << 16,
		IdleTimeout:       time.Minute,
	}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// localOnly refuses requests from browsers' pages and for other hosts' names.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		ip, err := netip.ParseAddr(host)
		if r.Header.Get("Origin") != "" || host != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "the emulator answers programs on this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
