package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Every setting is a flag. It may also stand in the environment, as BRAID_ and
// its name in capitals, or in a file of JSON, by its name. A flag outweighs the
// environment, and that the file.

// settings reads arguments, environment and file into the flags, and refuses
// what is not a setting or not a value of one.
func settings(f *flag.FlagSet, args []string, getenv func(string) string) error {
	path := f.String("config", "", "a `file` of settings: JSON, a field a flag")
	if err := parse(f, args); err != nil {
		return err
	}
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	var faults []error
	f.VisitAll(func(g *flag.Flag) {
		name := variable(g.Name)
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

// variable is the name of a flag in the environment.
func variable(name string) string {
	return "BRAID_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

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
		return errors.New("want one object of settings and nothing else")
	}
	for name, value := range fields {
		if name == "config" || f.Lookup(name) == nil {
			return fmt.Errorf("%q is not a setting of %s: see -h", name, f.Name())
		}
		list, many := value.([]any)
		if !many {
			list = []any{value}
		}
		for _, v := range list {
			switch v.(type) {
			case string, json.Number, bool:
			default:
				return fmt.Errorf("%s: want a string, a number or true or false", name)
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

// show logs all settings, once. Values know what of them is secret.
func show(f *flag.FlagSet, log *slog.Logger) {
	var pairs []any
	f.VisitAll(func(g *flag.Flag) {
		if g.Name != "config" || g.Value.String() != "" {
			pairs = append(pairs, g.Name, g.Value.String())
		}
	})
	log.Info("settings", pairs...)
}

// values is a setting of several values, given one by one or with commas.
type values []string

func (w *values) String() string { return strings.Join(*w, ",") }

func (w *values) Set(value string) error {
	for _, v := range strings.Split(value, ",") {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(*w, v) {
			*w = append(*w, v)
		}
	}
	return nil
}

// nodes are URLs that may hold keys: of each only the host is shown.
type nodes struct{ values }

func (n *nodes) String() string {
	var hosts []string
	for _, v := range n.values {
		host := "?"
		if u, err := url.Parse(v); err == nil && u.Host != "" {
			host = u.Scheme + "://" + u.Host
		}
		hosts = append(hosts, host)
	}
	return strings.Join(hosts, ",")
}
