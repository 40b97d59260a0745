// Package script reads the scripts of the reference interpreter.
package script

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Failing is the error of a call that the script lets fail.
var Failing = errors.New("asked to")

type call struct {
	method      int64
	fails, must bool
	used        bool
	args        []string
	result      string
}

// Script is a script with a position.
type Script struct {
	name  string
	lines []string
	line  string
	rest  string
	calls []call
	at    int
	lazy  bool
}

func New(name, text string, lazy bool) *Script {
	return &Script{name: name, lines: strings.Split(strings.TrimSuffix(text, "\nQ\n"), "\n"), lazy: lazy}
}

func (s *Script) Line() bool {
	if len(s.lines) == 0 {
		return false
	}
	s.line, s.lines = s.lines[0], s.lines[1:]
	s.rest = s.line
	return true
}

func (s *Script) Word() string {
	word, rest, _ := strings.Cut(s.rest, " ")
	s.rest = rest
	return word
}

func (s *Script) Rest() string { return s.rest }

func (s *Script) Int() int64 {
	n, err := strconv.ParseInt(s.Word(), 10, 64)
	s.Check(err == nil, "a number")
	return n
}

func (s *Script) Bool() bool { return s.Word() == "1" }

func (s *Script) Real() float64 {
	x, err := strconv.ParseFloat(s.Word(), 64)
	s.Check(err == nil, "a number")
	return x
}

func (s *Script) Check(holds bool, what string) {
	if !holds {
		fmt.Fprintf(os.Stderr, "%s: %s\n%s\n", s.name, what, s.line)
		os.Exit(1)
	}
}

func (s *Script) Calls() {
	s.calls, s.at = nil, 0
	for n := s.Int(); n > 0; n-- {
		c := call{method: s.Int(), fails: s.Bool(), must: s.Bool()}
		for k := s.Int(); k > 0; k-- {
			c.args = append(c.args, s.Word())
		}
		c.result = s.Word()
		s.calls = append(s.calls, c)
	}
}

// Call answers a call; the result is the word of the script that is returned.
func (s *Script) Call(method int64, args ...string) (*Script, error) {
	fits := func(c *call) bool {
		if c.used || c.method != method || len(c.args) != len(args) {
			return false
		}
		for i, arg := range args {
			a, errA := strconv.ParseFloat(arg, 64)
			b, errB := strconv.ParseFloat(c.args[i], 64)
			if errA != nil || errB != nil || a != b {
				return false
			}
		}
		return true
	}
	at := s.at
	if s.lazy {
		for at = 0; at < len(s.calls) && !fits(&s.calls[at]); at++ {
		}
	}
	s.Check(at < len(s.calls) && fits(&s.calls[at]), fmt.Sprintf("unexpected call of %d%v", method, args))
	c := &s.calls[at]
	c.used = true
	s.at++
	if c.fails {
		return nil, Failing
	}
	return &Script{name: s.name, line: s.line, rest: c.result}, nil
}

func (s *Script) Made() {
	for _, c := range s.calls {
		s.Check(c.used || !c.must, "a call is missing")
	}
}

func Int(n int64) string { return strconv.FormatInt(n, 10) }

func Float(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func Truth(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
