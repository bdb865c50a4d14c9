package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// parseSettings sets the flags of f from the arguments, from the environment
// (BRAID_ and the flag's name in capitals) and from a JSON file (by the flag's
// name). An argument takes precedence over the environment, and that over the
// file. What is not a setting, or not a value of one, is an error.
func parseSettings(f *flag.FlagSet, args []string, getenv func(string) string) error {
	path := f.String("config", "", "JSON `file` of settings, with one field for each flag")
	if err := parse(f, args); err != nil {
		return err
	}
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	var faults []error
	f.VisitAll(func(g *flag.Flag) {
		name := environmentName(g.Name)
		if value := getenv(name); value != "" && !given[g.Name] {
			given[g.Name] = true
			if err := f.Set(g.Name, value); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	if err := errors.Join(faults...); err != nil {
		return usageError{err}
	}
	if *path == "" {
		return nil
	}
	if err := parseFile(f, *path, given); err != nil {
		return misuse("settings %s: %w", *path, err)
	}
	return nil
}

// environmentName is the environment variable of a flag.
func environmentName(name string) string {
	return "BRAID_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// parseFile sets the flags that are not given yet from a JSON file.
func parseFile(f *flag.FlagSet, path string, given map[string]bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF || fields == nil {
		return errors.New("it must hold one JSON object and nothing else")
	}
	for name, value := range fields {
		if name == "config" || f.Lookup(name) == nil {
			return fmt.Errorf("%q is not a setting of %s: see -h", name, f.Name())
		}
		values, many := value.([]any)
		if !many {
			values = []any{value}
		}
		for _, v := range values {
			switch v.(type) {
			case string, json.Number, bool:
			default:
				return fmt.Errorf("%s: want a string, a number, true or false, or a list of those", name)
			}
			if given[name] {
				continue
			}
			if err := f.Set(name, fmt.Sprint(v)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// logSettings logs all settings, in one line. String of a value leaves out what is
// secret.
func logSettings(f *flag.FlagSet, log *slog.Logger) {
	var pairs []any
	f.VisitAll(func(g *flag.Flag) {
		if g.Name != "config" || g.Value.String() != "" {
			pairs = append(pairs, g.Name, g.Value.String())
		}
	})
	log.Info("settings", pairs...)
}

// list is a setting of several values, given one by one or separated by commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	for _, v := range strings.Split(value, ",") {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(*l, v) {
			*l = append(*l, v)
		}
	}
	return nil
}

// prefixes is a setting of several networks. An address alone is a network of one.
type prefixes []netip.Prefix

func (p *prefixes) String() string {
	var all list
	for _, n := range *p {
		all = append(all, n.String())
	}
	return all.String()
}

func (p *prefixes) Set(value string) error {
	var all list
	all.Set(value) // cannot fail
	for _, v := range all {
		n, err := netip.ParsePrefix(v)
		if err != nil {
			a, bad := netip.ParseAddr(v)
			if bad != nil {
				return fmt.Errorf("%.60q is not a network such as 10.0.0.0/8 or an address", v)
			}
			n = netip.PrefixFrom(a, a.BitLen())
		}
		*p = append(*p, n.Masked())
	}
	return nil
}

// contain says whether an address is of one of the networks.
func (p prefixes) contain(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(a) })
}

// nodeURLs is a list of URLs that may hold API keys: String shows their schemes
// and hosts only.
type nodeURLs struct{ list }

func (n *nodeURLs) String() string {
	var hosts []string
	for _, v := range n.list {
		host := "?"
		if u, err := url.Parse(v); err == nil && u.Host != "" {
			host = u.Scheme + "://" + u.Host
		}
		hosts = append(hosts, host)
	}
	return strings.Join(hosts, ",")
}
