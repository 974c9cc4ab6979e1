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

// Serve answers requests on a listener until ctx ends. It accepts only loopback addresses, and no requests from web
// pages.
func Serve(ctx context.Context, l net.Listener, e *Emulator) error {
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil || !addr.Addr().IsLoopback() {
		l.Close()
		return fmt.Errorf(
			"the emulator can listen only on a loopback address (127.0.0.1 or [::1]), not on %s", l.Addr(),
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

// localOnly rejects requests from web pages and for other host names.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		ip, err := netip.ParseAddr(host)
		if r.Header.Get("Origin") != "" || host != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "the emulator answers only programs on this machine", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
