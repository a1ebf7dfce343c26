package traffic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// suffix writes e as a pattern's end, with a space before each part.
func (e Each) suffix() string {
	var b strings.Builder
	if e.Key != "" {
		b.WriteString(" key=")
		b.WriteString(quoteKey(e.Key))
	}
	if e.Cost != 0 {
		fmt.Fprintf(&b, " cost=%d", e.Cost)
	}
	if e.Service != 0 {
		b.WriteString(" service=")
		b.WriteString(lab.FormatSpan(e.Service))
	}
	return b.String()
}

func quoteKey(key string) string {
	if strings.IndexFunc(key, func(r rune) bool { return !isBare(r) }) < 0 {
		return key
	}
	return strconv.Quote(key)
}

// each reads what the requests of a pattern carry.
func (s *scanner) each() Each {
	e, _ := s.eachOf(false)
	return e
}

// eachAndSeed reads a seed among what the requests carry.
func (s *scanner) eachAndSeed() (Each, uint64) { return s.eachOf(true) }

func (s *scanner) eachOf(seeded bool) (e Each, seed uint64) {
	seen := map[string]bool{}
	for {
		start := s.next
		name := s.nameOf(partKey, partCost, partService, "seed")
		switch {
		case name == "":
			return e, seed
		case name == "seed" && !seeded:
			s.fail(start, "only a random pattern has a seed")
		case seen[name]:
			s.fail(start, "%s= stands here twice; expected it once", name)
		}
		seen[name] = true
		switch name {
		case partKey:
			e.Key = s.key()
		case partCost:
			e.Cost = s.count(partCost)
		case partService:
			e.Service = s.span(partService)
		case "seed":
			seed = s.seed()
		}
	}
}

// nameOf reads one of the names and the "=" after it; "" if none comes next.
func (s *scanner) nameOf(names ...string) string {
	for _, name := range names {
		if s.word(name) {
			s.expect("=", "after "+name)
			return name
		}
	}
	return ""
}

func (s *scanner) seed() uint64 {
	rest := s.rest()
	n := digits(rest)
	v, err := strconv.ParseUint(rest[:n], 10, 64)
	if err != nil {
		s.fail(s.next, "expected the seed, a whole number from 0 to 18446744073709551615")
		return 0
	}
	s.take(n)
	return v
}

// key reads a bare or quoted key.
func (s *scanner) key() string {
	rest := s.rest()
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexFunc(rest, func(r rune) bool { return !isBare(r) })
		if end < 0 {
			end = len(rest)
		}
		// A copy, so that whoever keeps the key need not keep the notation.
		return s.checkedKey(strings.Clone(rest[:end]), end)
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		s.fail(s.next, "the quoted key has no end on this line or a wrong escape; expected it as Go quotes text")
		return ""
	}
	key, err := strconv.Unquote(quoted)
	if err != nil {
		s.fail(s.next, "the quoted key has a wrong escape; expected it as Go quotes text")
		return ""
	}
	return s.checkedKey(strings.Clone(key), len(quoted))
}

func (s *scanner) checkedKey(key string, length int) string {
	switch {
	case key == "":
		s.fail(s.next, "found %s; expected a key, in quotes where it has other characters than letters, digits and -_.:/@+%%*~", s.found())
	case len(key) > MaxKey:
		s.fail(s.next, "the key is too long; expected at most %d bytes", MaxKey)
	}
	if s.err != nil {
		return ""
	}
	s.take(length)
	return key
}
