package checker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

func (s *shops) check() {
	register := s.register()
	for id, lines := range register {
		s.checkLines(id, lines)
	}
	s.checkTrades(register)
	s.checkStored(register)
	s.checkTenures(register)
	for _, t := range s.trades {
		for _, r := range t.refusals {
			if !s.isTrue(register, t, r) {
				s.differ("a refusal that was not true", t.items, "%s %s: %v", t.mark, t.about, r.err)
			}
		}
	}
	for _, f := range s.finds {
		s.checkFind(register, f)
	}
}

// register reads the lines of each shop, in their order, with the time of each: that of its trade, and between its
// neighbours.
func (s *shops) register() map[string][]line {
	all := map[string][]line{}
	for _, p := range s.scan(registerTable) {
		l := line{shop: p["shop"].(string), name: p["name"].(string), by: p["by"].(string), span: since(0)}
		if _, err := fmt.Sscan(strings.TrimLeft(p["version"].(string), "0"), &l.version); err != nil {
			s.t.Error(err)
		}
		if t := s.trades[l.by]; t != nil {
			l.span = t.within
		} else if l.name == "" {
			l.span = s.closing(l.shop)
		}
		all[l.shop] = append(all[l.shop], l)
	}
	for _, lines := range all {
		slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.version, b.version) })
		for i := 1; i < len(lines); i++ {
			lines[i].from = max(lines[i].from, lines[i-1].from)
		}
		for i := len(lines) - 2; i >= 0; i-- {
			lines[i].to = min(lines[i].to, lines[i+1].to)
		}
	}
	return all
}

// closing is when a shop was closed: by any of those that may have done it, and before any was told so.
func (s *shops) closing(id string) span {
	at := since(ever)
	for _, t := range s.trades {
		if t.kind == "close shop" && t.shop == id && t.verdict() != refused {
			at.from, at.to = min(at.from, t.within.from), min(at.to, t.within.to)
		}
	}
	return at
}

func (s *shops) checkLines(id string, lines []line) {
	for i, l := range lines {
		if l.version != i+1 {
			s.differ("a version that is missing", id, "%v", lines)
			return
		}
		if l.name == "" {
			continue
		}
		t := s.trades[l.by]
		if t == nil || t.name != l.name || t.shop != "" && t.shop != id || t.version > 0 && l.version != t.version+1 {
			s.differ("a shop that was not to be written", id, "%v", l)
			continue
		}
		if t.verdict() == refused {
			s.differ("a shop that was refused", t.items, "%s %s is stored in version %d", t.mark, t.about, l.version)
		}
		if t.lines++; t.lines > 1 {
			s.differ("one write of a shop twice", t.items, "%s %s", t.mark, t.about)
		}
	}
}

// checkTrades finds what was acknowledged in the register.
func (s *shops) checkTrades(register map[string][]line) {
	sure, maybe := map[string]int{}, map[string]bool{}
	for mark, t := range s.trades {
		lines := register[t.shop]
		switch closed := len(lines) > 0 && lines[len(lines)-1].name == ""; {
		case t.kind != "close shop":
			if t.done() && t.lines == 0 {
				s.differ("a write of a shop is lost", t.items, "%s %s", mark, t.about)
			}
		case t.verdict() == refused:
		case t.verdict() == acknowledged && !closed:
			s.differ("a shop that was closed is there", t.shop, "%s", mark)
		case t.verdict() == acknowledged && t.sure:
			sure[t.shop]++
			if t.version > 0 && lines[len(lines)-1].version != t.version+1 {
				s.differ("a shop that was closed in another version", t.shop, "%s asked for %d", mark, t.version)
			}
			fallthrough
		default:
			maybe[t.shop] = true
		}
	}
	for id, lines := range register {
		if sure[id] > 1 {
			s.differ("a shop that was closed twice", id, "%d times", sure[id])
		}
		if lines[len(lines)-1].name == "" && !maybe[id] {
			s.differ("a shop that nobody closed", id, "%v", lines)
		}
	}
}

// checkStored compares the shops, their guards, copies and index keys with the last lines.
func (s *shops) checkStored(register map[string][]line) {
	shops, guards, signs := map[string]plain{}, map[string]string{}, map[string]any{}
	for _, p := range s.scan(shopTable) {
		if name, isGuard := strings.CutPrefix(p["pk"].(string), "NAME#"); isGuard {
			guards[name] = p["id"].(string)
		} else {
			shops[p["id"].(string)] = p
		}
	}
	for _, p := range s.scan(signTable) {
		signs[p["shop"].(string)] = p["name"]
	}
	for id, lines := range register {
		last, p := lines[len(lines)-1], shops[id]
		switch open := last.name != ""; {
		case !open && p == nil:
		case !open || p == nil:
			s.differ("a shop that its register does not know", id, "%v where the last line is %v", p, last)
		case p["name"] != last.name || p["by"] != last.by || p["version"] != float64(last.version):
			s.differ("a shop that is not what its register says", id, "%v where the last line is %v", p, last)
		}
	}
	owners := map[string]string{}
	for id, p := range shops {
		name := p["name"].(string)
		if register[id] == nil {
			s.differ("a shop without a register", id, "%v", p)
		}
		if p[byName.Key.Partition] != "NAME#"+name || p[byName.Key.Sort] != id {
			s.differ("a shop whose index keys are wrong", id, "%v", p)
		}
		if signs[id] != name {
			s.differ("a shop whose sign is wrong", id, "it is %v, and the sign says %v", name, signs[id])
		}
		if s.excused[[2]string{id, name}] {
			continue
		}
		if guards[name] != id {
			s.differ("a shop without its guard", id+" "+name, "%s is of %q", name, guards[name])
		}
		if other := owners[name]; other != "" {
			s.differ("two shops of one name", id+" "+other+" "+name, "%s", name)
		}
		owners[name] = id
	}
	for name, id := range guards {
		if p := shops[id]; p == nil || p["name"] != name {
			s.differ("a guard of nothing", id+" "+name, "%s is of %s: %v", name, id, p)
		}
	}
	for id := range signs {
		if shops[id] == nil {
			s.differ("a sign of no shop", id, "%v", signs[id])
		}
	}
}

// tenure is a version of a shop, and when it was there: possibly, and certainly.
type tenure struct {
	line
	possible, certain span
}

func tenures(lines []line) (all []tenure) {
	for i, l := range lines {
		until := since(ever)
		if i+1 < len(lines) {
			until = lines[i+1].span
		}
		if l.name != "" {
			all = append(all, tenure{l, between(l.from, until.to), between(l.to, until.from)})
		}
	}
	return all
}

// checkTenures looks for two who had a name at the same time.
func (s *shops) checkTenures(register map[string][]line) {
	byName := map[string][]tenure{}
	for _, id := range slices.Sorted(maps.Keys(register)) {
		for _, t := range tenures(register[id]) {
			if t.certain.from < t.certain.to && !s.excused[[2]string{t.shop, t.name}] {
				byName[t.name] = append(byName[t.name], t)
			}
		}
	}
	for name, all := range byName {
		slices.SortFunc(all, func(a, b tenure) int { return cmp.Compare(a.certain.from, b.certain.from) })
		for i := 1; i < len(all); i++ {
			if before := all[i-1]; before.shop != all[i].shop && before.certain.to > all[i].certain.from {
				s.differ("two shops of one name at a time", before.shop+" "+all[i].shop+" "+name, "%v and %v", before, all[i])
			}
		}
	}
}

// isTrue tells whether what a call was refused for was so at some moment of it.
func (s *shops) isTrue(register map[string][]line, t *trade, r told) bool {
	lines := register[t.shop]
	switch {
	case errors.Is(r.err, dynastay.ErrAlreadyExists):
		for id, lines := range register {
			for _, other := range tenures(lines) {
				if id != t.shop && other.name == t.name && other.possible.meets(r.span) {
					return true
				}
			}
		}
	case errors.Is(r.err, dynastay.ErrNotFound):
		return len(lines) > 0 && lines[len(lines)-1].name == "" && lines[len(lines)-1].from <= r.to
	case errors.Is(r.err, dynastay.ErrVersion):
		return t.version > 0 && len(lines) > t.version && lines[t.version].from <= r.to
	}
	return false
}

func (s *shops) checkFind(register map[string][]line, f find) {
	if f.shop != "" {
		all := tenures(register[f.shop])
		if f.version > len(all) || all[f.version-1].name != f.name || !all[f.version-1].possible.meets(f.span) {
			s.differ("a name that was found where it was not", f.shop+" "+f.name, "version %d", f.version)
		}
		return
	}
	for _, lines := range register {
		for _, t := range tenures(lines) {
			if t.name == f.name && !s.excused[[2]string{t.shop, t.name}] && t.certain.from < f.from && f.to < t.certain.to {
				s.differ("a name that was not found", t.shop+" "+f.name, "it had version %d", t.version)
			}
		}
	}
}
