package faulttest

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"
)

// HTTP2Peer returns a peer that speaks just enough HTTP/2 to misbehave. It calls script for each complete request.
func HTTP2Peer(config *tls.Config, script func(c *HTTP2Conn, stream uint32)) ConnHandler {
	config = config.Clone()
	config.NextProtos, config.SessionTicketsDisabled = []string{"h2"}, true
	return func(plain net.Conn) {
		secure := tls.Server(plain, config)
		if secure.Handshake() != nil {
			return
		}
		c := &HTTP2Conn{conn: secure, frames: make(chan []byte, 64)}
		defer close(c.frames)
		go c.writeFrames()
		c.serve(script)
		c.StopResponding()
	}
}

// HTTP2Conn is a connection of an HTTP2Peer.
type HTTP2Conn struct {
	conn    net.Conn
	frames  chan []byte // frames to send, so that reading never waits for writing
	mu      sync.Mutex
	stopped bool
}

func (c *HTTP2Conn) writeFrames() {
	for frame := range c.frames {
		_, _ = c.conn.Write(frame)
	}
}

// Types and flags of frames.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway = 0, 1, 3, 4, 6, 7

	endStream, ack, endHeaders = 1, 1, 4
)

func (c *HTTP2Conn) serve(script func(*HTTP2Conn, uint32)) {
	preface := make([]byte, 24)
	if _, err := io.ReadFull(c.conn, preface); err != nil {
		return
	}
	c.queueFrame(frameSettings, 0, 0, nil)
	for {
		var head [9]byte
		if _, err := io.ReadFull(c.conn, head[:]); err != nil {
			return
		}
		body := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(c.conn, body); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch {
		case kind == frameSettings && flags&ack == 0:
			c.queueFrame(frameSettings, ack, 0, nil)
		case kind == framePing && flags&ack == 0:
			c.queueFrame(framePing, ack, 0, body)
		case (kind == frameHeaders || kind == frameData) && flags&endStream != 0:
			go script(c, stream)
		}
	}
}

func (c *HTTP2Conn) queueFrame(kind, flags byte, stream uint32, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	head := []byte{byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body)), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], stream)
	c.frames <- append(head, body...)
}

// Respond sends status 200 and a body.
func (c *HTTP2Conn) Respond(stream uint32, body string) {
	c.queueFrame(frameHeaders, endHeaders, stream, []byte{0x88}) // ":status: 200" in the static table
	c.queueFrame(frameData, endStream, stream, []byte(body))
}

// Reset ends a stream with an error code; 7 means that the stream was never processed.
func (c *HTTP2Conn) Reset(stream, code uint32) {
	c.queueFrame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

// GoAway tells the client that streams above last were never processed.
func (c *HTTP2Conn) GoAway(last uint32) {
	c.queueFrame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), 0))
}

// Close closes the connection after all frames are sent.
func (c *HTTP2Conn) Close() {
	for len(c.frames) > 0 {
		time.Sleep(time.Millisecond)
	}
	c.conn.Close()
}

// StopResponding stops sending, even answers to pings.
func (c *HTTP2Conn) StopResponding() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
}
