package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// readRequest parses a request that is given as a URL, with or without its scheme,
// or as a query alone; then the URL is nil.
func readRequest(text string) (*url.URL, url.Values, error) {
	text = strings.TrimSpace(text)
	where, query, _ := strings.Cut(text, "?")
	if where == "" || !strings.Contains(where, "/") {
		values, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
		if err != nil {
			return nil, nil, misuse("--request cannot be read: %w", err)
		}
		return nil, values, nil
	}
	if !strings.Contains(where, "://") {
		if strings.HasPrefix(where, ":") {
			where = "127.0.0.1" + where
		}
		text = "http://" + where + "?" + query
	}
	u, err := url.Parse(text)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "") {
		err = fmt.Errorf("it is not an http or https URL")
	}
	if err != nil {
		return nil, nil, misuse("--request cannot be read: %w: write http://host:port/api/v1/swap?tokenIn=…", err)
	}
	u.Fragment = ""
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, nil, misuse("--request cannot be read: %w", err)
	}
	return u, values, nil
}

// readAnswer is the answer to verify and the time of its block in Unix seconds, 0
// if that is not known. It comes from the file that the arguments name (- is
// stdin), else from stdin if data is piped there, else from the URL.
func readAnswer(ctx context.Context, args []string, asked *url.URL, stdin io.Reader, stdout, stderr io.Writer) (text []byte, block uint64, err error) {
	switch {
	case len(args) == 1 && args[0] != "-":
		text, err = os.ReadFile(args[0])
		return text, 0, err
	case len(args) == 1 || piped(stdin):
		slow := time.AfterFunc(3*time.Second, func() {
			fmt.Fprintln(stderr, "braid: waiting for an answer on the standard input; to fetch it from the URL instead, add </dev/null")
		})
		defer slow.Stop()
		text, err = readAll(ctx, stdin)
		return text, 0, err
	case asked == nil:
		return nil, 0, misuse("there is no answer to verify: name a file, - for the standard input, or the whole URL in --request")
	case path.Base(asked.Path) != "swap":
		return nil, 0, misuse("verify is for answers of /swap, and --request asks %.80q", asked.Path)
	}
	text, header, err := fetch(ctx, asked.String())
	if err != nil {
		return nil, 0, err
	}
	fmt.Fprintf(stdout, "fetched from %s://%s%s\n", asked.Scheme, asked.Host, asked.Path)
	block, _ = strconv.ParseUint(header.Get("X-Block-Timestamp"), 10, 63) // 0 if it is none
	return text, block, nil
}

// readAll reads to the end, or until ctx is done: the read itself cannot be
// interrupted.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	var text []byte
	read := make(chan error, 1)
	go func() {
		var err error
		text, err = io.ReadAll(r)
		read <- err
	}()
	select {
	case err := <-read:
		return text, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// piped says whether a reader may have data: a terminal, /dev/null and a closed
// file have none.
func piped(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return r != nil
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// clockSlack is by how many seconds the clocks of this machine, the service and
// the chain may differ without a message.
const clockSlack = 60

// clockReading is the time at which an answer is verified, in Unix seconds: a
// deadline before earliest has passed, and one n seconds from now is at most at
// latest + n.
type clockReading struct {
	earliest, latest uint64
	chain            bool // it is the chain's clock, not this machine's
}

// chainClock is the flag by which deadlines are measured by the chain's clock.
type chainClock struct {
	on      bool
	seconds uint64 // Unix time; 0: that of the answer's block
}

func (c *chainClock) IsBoolFlag() bool { return true }

func (c *chainClock) String() string { return "" }

func (c *chainClock) Set(v string) (err error) {
	if on, boolean := map[string]bool{"true": true, "false": false}[v]; boolean {
		*c = chainClock{on: on}
		return nil
	}
	c.on = true
	if c.seconds, err = strconv.ParseUint(v, 10, 40); err != nil {
		return fmt.Errorf("want the chain's time in seconds since 1970")
	}
	return nil
}

// read is the later of this machine's clock and the chain's. Without the flag an
// answer cannot move it by more than clockSlack.
func (c chainClock) read(wall time.Time, block uint64, stdout io.Writer) (clockReading, error) {
	now := uint64(wall.Unix())
	m := clockReading{now, now + clockSlack, false}
	if c.seconds != 0 {
		block = c.seconds
	}
	switch {
	case c.on && block == 0:
		return m, misuse("--chain-clock: the time of the answer's block is not known: give it as --chain-clock=SECONDS (X-Block-Timestamp of the answer)")
	case block > now+clockSlack && !c.on:
		return m, fmt.Errorf("the answer's block is %d s ahead of this machine's clock, so that its deadline cannot be judged: if the chain's clock is known to be ahead (that of a busy local chain is), add --chain-clock", block-now)
	case block > now:
		m.earliest = block
		if c.on {
			m.latest, m.chain = block+clockSlack, true
			fmt.Fprintf(stdout, "deadlines are measured by the chain's clock, which is %d s ahead of this machine's\n", block-now)
		}
	case block != 0 && now > block+clockSlack:
		fmt.Fprintf(stdout, "the answer's block is %d s behind this machine's clock, by which deadlines are measured\n", now-block)
	}
	return m, nil
}
