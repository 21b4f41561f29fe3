package writes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

func (s *shops) Check() {
	register := s.register()
	for id, lines := range register {
		s.checkLines(id, lines)
	}
	s.checkTrades(register)
	s.checkStored(register)
	s.checkTenures(register)
	for _, t := range s.trades {
		for _, r := range t.Refusals {
			if !s.isTrue(register, t, r) {
				s.Differ("a refusal that was not true", t.Items, "%s %s: %v", t.Mark, t.About, r.Err)
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
	for _, p := range s.Scan(registerTable) {
		l := line{shop: p["shop"].(string), name: p["name"].(string), by: p["by"].(string), Span: checker.Since(0)}
		if _, err := fmt.Sscan(strings.TrimLeft(p["version"].(string), "0"), &l.version); err != nil {
			s.T.Error(err)
		}
		if t := s.trades[l.by]; t != nil {
			l.Span = t.Within
		} else if l.name == "" {
			l.Span = s.closing(l.shop)
		}
		all[l.shop] = append(all[l.shop], l)
	}
	for _, lines := range all {
		slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.version, b.version) })
		for i := 1; i < len(lines); i++ {
			lines[i].From = max(lines[i].From, lines[i-1].From)
		}
		for i := len(lines) - 2; i >= 0; i-- {
			lines[i].To = min(lines[i].To, lines[i+1].To)
		}
	}
	return all
}

// closing is when a shop was closed: by any of those that may have done it, and before any was told so.
func (s *shops) closing(id string) checker.Span {
	at := checker.Since(checker.Ever)
	for _, t := range s.trades {
		if t.kind == "close shop" && t.shop == id && t.Verdict() != checker.Refused {
			at.From, at.To = min(at.From, t.Within.From), min(at.To, t.Within.To)
		}
	}
	return at
}

func (s *shops) checkLines(id string, lines []line) {
	for i, l := range lines {
		if l.version != i+1 {
			s.Differ("a version that is missing", id, "%v", lines)
			return
		}
		if l.name == "" {
			continue
		}
		t := s.trades[l.by]
		if t == nil || t.name != l.name || t.shop != "" && t.shop != id || t.version > 0 && l.version != t.version+1 {
			s.Differ("a shop that was not to be written", id, "%v", l)
			continue
		}
		if t.Verdict() == checker.Refused {
			s.Differ("a shop that was refused", t.Items, "%s %s is stored in version %d", t.Mark, t.About, l.version)
		}
		if t.lines++; t.lines > 1 {
			s.Differ("one write of a shop twice", t.Items, "%s %s", t.Mark, t.About)
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
			if t.Done() && t.lines == 0 {
				s.Differ("a write of a shop is lost", t.Items, "%s %s", mark, t.About)
			}
		case t.Verdict() == checker.Refused:
		case t.Verdict() == checker.Acknowledged && !closed:
			s.Differ("a shop that was closed is there", t.shop, "%s", mark)
		case t.Verdict() == checker.Acknowledged && t.sure:
			sure[t.shop]++
			if t.version > 0 && lines[len(lines)-1].version != t.version+1 {
				s.Differ("a shop that was closed in another version", t.shop, "%s asked for %d", mark, t.version)
			}
			fallthrough
		default:
			maybe[t.shop] = true
		}
	}
	for id, lines := range register {
		if sure[id] > 1 {
			s.Differ("a shop that was closed twice", id, "%d times", sure[id])
		}
		if lines[len(lines)-1].name == "" && !maybe[id] {
			s.Differ("a shop that nobody closed", id, "%v", lines)
		}
	}
}

// checkStored compares the shops, their guards, copies and index keys with the last lines.
func (s *shops) checkStored(register map[string][]line) {
	shops, guards, signs := map[string]plain{}, map[string]string{}, map[string]any{}
	for _, p := range s.Scan(shopTable) {
		if name, isGuard := strings.CutPrefix(p["pk"].(string), "NAME#"); isGuard {
			guards[name] = p["id"].(string)
		} else {
			shops[p["id"].(string)] = p
		}
	}
	for _, p := range s.Scan(signTable) {
		signs[p["shop"].(string)] = p["name"]
	}
	for id, lines := range register {
		last, p := lines[len(lines)-1], shops[id]
		switch open := last.name != ""; {
		case !open && p == nil:
		case !open || p == nil:
			s.Differ("a shop that its register does not know", id, "%v where the last line is %v", p, last)
		case p["name"] != last.name || p["by"] != last.by || p["version"] != float64(last.version):
			s.Differ("a shop that is not what its register says", id, "%v where the last line is %v", p, last)
		}
	}
	owners := map[string]string{}
	for id, p := range shops {
		name := p["name"].(string)
		if register[id] == nil {
			s.Differ("a shop without a register", id, "%v", p)
		}
		if p[byName.Key.Partition] != "NAME#"+name || p[byName.Key.Sort] != id {
			s.Differ("a shop whose index keys are wrong", id, "%v", p)
		}
		if signs[id] != name {
			s.Differ("a shop whose sign is wrong", id, "it is %v, and the sign says %v", name, signs[id])
		}
		if s.excused[[2]string{id, name}] {
			continue
		}
		if guards[name] != id {
			s.Differ("a shop without its guard", id+" "+name, "%s is of %q", name, guards[name])
		}
		if other := owners[name]; other != "" {
			s.Differ("two shops of one name", id+" "+other+" "+name, "%s", name)
		}
		owners[name] = id
	}
	for name, id := range guards {
		if p := shops[id]; p == nil || p["name"] != name {
			s.Differ("a guard of nothing", id+" "+name, "%s is of %s: %v", name, id, p)
		}
	}
	for id := range signs {
		if shops[id] == nil {
			s.Differ("a sign of no shop", id, "%v", signs[id])
		}
	}
}

// tenure is a version of a shop, and when it was there: possibly, and certainly.
type tenure struct {
	line
	possible, certain checker.Span
}

func tenures(lines []line) (all []tenure) {
	for i, l := range lines {
		until := checker.Since(checker.Ever)
		if i+1 < len(lines) {
			until = lines[i+1].Span
		}
		if l.name != "" {
			all = append(all, tenure{l, checker.Between(l.From, until.To), checker.Between(l.To, until.From)})
		}
	}
	return all
}

// checkTenures looks for two who had a name at the same time.
func (s *shops) checkTenures(register map[string][]line) {
	byName := map[string][]tenure{}
	for _, id := range slices.Sorted(maps.Keys(register)) {
		for _, t := range tenures(register[id]) {
			if t.certain.From < t.certain.To && !s.excused[[2]string{t.shop, t.name}] {
				byName[t.name] = append(byName[t.name], t)
			}
		}
	}
	for name, all := range byName {
		slices.SortFunc(all, func(a, b tenure) int { return cmp.Compare(a.certain.From, b.certain.From) })
		for i := 1; i < len(all); i++ {
			if before := all[i-1]; before.shop != all[i].shop && before.certain.To > all[i].certain.From {
				s.Differ("two shops of one name at a time", before.shop+" "+all[i].shop+" "+name, "%v and %v", before, all[i])
			}
		}
	}
}

// isTrue tells whether what a call was refused for was so at some moment of it.
func (s *shops) isTrue(register map[string][]line, t *trade, r checker.Told) bool {
	lines := register[t.shop]
	switch {
	case errors.Is(r.Err, dynastay.ErrAlreadyExists):
		for id, lines := range register {
			for _, other := range tenures(lines) {
				if id != t.shop && other.name == t.name && other.possible.Meets(r.Span) {
					return true
				}
			}
		}
	case errors.Is(r.Err, dynastay.ErrNotFound):
		return len(lines) > 0 && lines[len(lines)-1].name == "" && lines[len(lines)-1].From <= r.To
	case errors.Is(r.Err, dynastay.ErrVersion):
		return t.version > 0 && len(lines) > t.version && lines[t.version].From <= r.To
	}
	return false
}

func (s *shops) checkFind(register map[string][]line, f find) {
	if f.shop != "" {
		all := tenures(register[f.shop])
		if f.version > len(all) || all[f.version-1].name != f.name || !all[f.version-1].possible.Meets(f.Span) {
			s.Differ("a name that was found where it was not", f.shop+" "+f.name, "version %d", f.version)
		}
		return
	}
	for _, lines := range register {
		for _, t := range tenures(lines) {
			if t.name == f.name && !s.excused[[2]string{t.shop, t.name}] && t.certain.From < f.From && f.To < t.certain.To {
				s.Differ("a name that was not found", t.shop+" "+f.name, "it had version %d", t.version)
			}
		}
	}
}
