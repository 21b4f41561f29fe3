package checker

import (
	"math"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

func (s *jobs) check() { s.checkJobs(s.readMarket()) }

// jobLife is what has become of a project: the calls that have moved it, as far as they are certain, and when it can
// have had each status.
type jobLife struct {
	id       string
	posted   *jobCall
	statuses []jobStatus
	calls    []*jobCall // all about it
}

// jobStatus is a status, the time within which a project can have had it, and the call that led to it if it is certain.
type jobStatus struct {
	status projects.Status
	span
	by *jobCall
}

func (s *jobs) checkJobs(all *marketItems) {
	lives, stored := map[string]*jobLife{}, map[*jobCall]bool{}
	for id, p := range all.projects {
		c := s.all[textOf(p, "title")]
		switch {
		case c != nil && stored[c]:
			s.differ("a project that was posted twice", c.items, "%v", p)
			continue
		case c == nil || c.kind != posting || c.project != "" && c.project != id:
			s.differ("a project that nobody posted", id, "%v", p)
			continue
		}
		c.project, stored[c], lives[id] = id, true, &jobLife{id: id, posted: c}
	}
	for _, c := range s.all {
		l := lives[c.project]
		if l != nil {
			l.calls = append(l.calls, c)
		}
		s.decideJob(c, l, all)
	}
	s.checkTickets(all.tickets, posting, bidding, revising, leaving, hiring, completing, abandoning)
	for id, l := range lives {
		p, bids := all.projects[id], all.bids[id]
		s.checkListed(all, textOf(p, "buyerId"), "PROJECT", id, p)
		s.follow(l, p, bids)
		s.checkBids(l, p, all)
		for worker, b := range bids {
			s.checkListed(all, worker, "BID", id, b)
		}
		s.checkRests(id, all)
		delete(all.bids, id)
	}
	for id, bids := range all.bids {
		s.differ("bids for no project", id, "%v", bids)
	}
	s.checkJobCounters(all)
	for _, c := range s.all {
		for _, told := range c.refusals {
			if !s.justifiedJob(c, told, lives[c.project]) {
				s.differ("a refusal without the reason that it names", c.items, "%s %s: %v", c.name, c.about, told.err)
			}
		}
	}
}

// decideJob looks for what a call has left: a new project its title, a cancellation its reason.
func (s *jobs) decideJob(c *jobCall, l *jobLife, all *marketItems) {
	switch c.kind {
	case posting:
		s.decide(c.marketCall, all.tickets, l != nil)
	case abandoning:
		s.decide(c.marketCall, all.tickets, textOf(all.projects[c.project], "cancelReason") == c.mark)
	default:
		s.decide(c.marketCall, all.tickets)
	}
	if b := all.bids[c.project][c.worker]; (c.kind == bidding || c.kind == revising) && textOf(b, "proposal") == c.mark {
		if c.saw(s.now()); c.verdict() == refused || c.undone {
			s.differ("a bid that was refused", c.items, "%s: %v", c.about, b)
		}
	}
}

// of are the calls of some kinds about the bid of a worker, or about the project itself.
func (l *jobLife) of(worker string, kinds ...string) (all []*jobCall) {
	for _, c := range l.calls {
		if (worker == "" || c.worker == worker) && slices.Contains(kinds, c.kind) {
			all = append(all, c)
		}
	}
	return all
}

// split are those that were carried out, and those of which nobody knows.
func split(all []*jobCall) (certain, maybe []*jobCall) {
	for _, c := range all {
		switch {
		case c.done():
			certain = append(certain, c)
		case c.could():
			maybe = append(maybe, c)
		}
	}
	return certain, maybe
}

// follow finds the calls that have moved a project to its status, each once.
func (s *jobs) follow(l *jobLife, p plain, bids map[string]plain) {
	worker := textOf(p, "acceptedWorkerId")
	l.statuses = []jobStatus{{projects.Open, since(l.posted.within.from), l.posted}}
	moves := 0
	for _, kind := range []string{hiring, completing, abandoning} {
		certain, maybe := split(l.of("", kind))
		there := textOf(p, "status") == string(after[kind])
		if kind == hiring {
			there = worker != ""
			maybe = slices.DeleteFunc(maybe, func(c *jobCall) bool {
				return c.worker != worker || c.quote != cents(bids[worker]["quote"])
			})
		}
		switch {
		case len(certain) > 1:
			s.differ("a project that was moved twice", l.id, "%s: %s and %s", kind, certain[0].about, certain[1].about)
		case len(certain) > 0 && !there:
			s.differ("a move of a project is lost", l.id, "%s: %v", certain[0].about, p)
		case there && len(certain)+len(maybe) == 0:
			s.differ("a move of a project that nobody made", l.id, "%s: %v", kind, p)
		}
		if !there {
			continue
		}
		moves++
		now := jobStatus{after[kind], since(0), nil}
		if len(certain) > 0 {
			now.span, now.by = since(certain[0].within.from), certain[0]
		}
		last := &l.statuses[len(l.statuses)-1]
		if now.by != nil {
			last.to = now.by.within.to
		}
		if last.by != nil {
			now.from = max(now.from, last.from)
		}
		if l.statuses = append(l.statuses, now); last.to < last.from {
			s.differ("a project that was moved in another order", l.id, "%s at %v", kind, now)
		}
	}
	s.checkProject(l, p, bids, moves)
}

// checkProject compares the attributes of a project with the calls that have moved it.
func (s *jobs) checkProject(l *jobLife, p plain, bids map[string]plain, moves int) {
	last, worker := l.statuses[len(l.statuses)-1], textOf(p, "acceptedWorkerId")
	status := string(last.status)
	ok := textOf(p, "status") == status && textOf(p, "buyerId") == l.posted.client && numberOf(p, "version") == 1+moves &&
		strings.HasPrefix(textOf(p, "GSI2PK"), "STATUS#"+status) && !(status == "COMPLETED" && worker == "")
	for _, v := range l.statuses {
		switch b := bids[worker]; {
		case v.by == nil:
		case v.by.kind == hiring:
			ok = ok && worker == v.by.worker && cents(b["quote"]) == v.by.quote &&
				textOf(p, "acceptedBidId") == textOf(b, "bidId")
		case v.by.kind == abandoning:
			ok = ok && textOf(p, "cancelledBy") == v.by.by && (v.by.by == l.posted.client || v.by.by == worker)
		}
	}
	if !ok {
		s.differ("a project that does not follow from its calls", l.id, "%v, %v", p, bids)
	}
	live := 0
	for _, b := range bids {
		live += count(b["status"] != "WITHDRAWN")
	}
	if numberOf(p, "bidCount") != live {
		s.differ("a project with another number of bids", l.id, "%d, and %d are stored", numberOf(p, "bidCount"), live)
	}
}

// checkBids compares the bids for a project with their calls.
func (s *jobs) checkBids(l *jobLife, p plain, all *marketItems) {
	for worker, b := range all.bids[l.id] {
		s.checkBid(l, p, worker, b)
	}
	// What was carried out after the project was closed, or for a bid that is not there.
	for _, c := range l.of("", bidding, revising, leaving, hiring) {
		if c.done() && all.bids[l.id][c.worker] == nil {
			s.differ("a bid is lost", c.items, "%s %s", c.name, c.about)
		}
		if c.done() && c != l.statuses[min(1, len(l.statuses)-1)].by && c.within.from > l.statuses[0].to {
			s.differ("a bid for a project that was closed", c.items, "%s %s", c.name, c.about)
		}
	}
}

func (s *jobs) checkBid(l *jobLife, p plain, worker string, b plain) {
	differ := func(kind string) { s.differ(kind, l.id+" "+worker, "%v", b) }
	status := textOf(b, "status")
	bids, maybeBids := split(l.of(worker, bidding))
	gone, maybeGone := split(l.of(worker, leaving))
	live := count(status != "WITHDRAWN")
	if len(bids) > live+len(gone)+len(maybeGone) || len(bids)+len(maybeBids) < live+len(gone) {
		differ("bids and withdrawals that do not add up")
	}
	revised, maybeRevised := split(l.of(worker, revising))
	least := len(bids) + len(gone) + len(revised) + count(status == "ACCEPTED" || status == "REJECTED")
	if v := numberOf(b, "version"); v < least || v > least+len(maybeBids)+len(maybeGone)+len(maybeRevised) {
		differ("a bid whose version does not count its changes")
	}
	texts := l.of(worker, bidding, revising)
	c := s.all[textOf(b, "proposal")]
	if !slices.Contains(texts, c) || cents(b["quote"]) != c.quote || c.overwritten(ever, texts) {
		differ("a bid that does not follow from its calls")
	}
	won := textOf(p, "acceptedWorkerId") == worker
	switch open := p["status"] == "OPEN"; status {
	case "ACCEPTED":
		if !won {
			differ("a bid that was accepted beside another one")
		}
	case "PENDING":
		if !open {
			differ("a pending bid for a project that is closed")
		}
	case "REJECTED":
		if open {
			differ("a bid that was rejected for an open project")
		}
	}
	if won != (status == "ACCEPTED") || !strings.HasPrefix(textOf(b, "GSI2PK"), "STATUS#"+status+"#BID") {
		differ("a bid with another status")
	}
}

// checkRests counts the bids that were rejected: each of them once.
func (s *jobs) checkRests(id string, all *marketItems) {
	lost, told := 0, 0
	for _, b := range all.bids[id] {
		lost += count(b["status"] == "REJECTED")
	}
	for _, r := range s.rests {
		if r.project == id {
			told += r.rejected
		}
	}
	if told > lost || all.rejecting[id] {
		s.differ("rejections that do not add up", id, "%d are stored, %d were told of", lost, told)
	}
}

// checkJobCounters compares the profiles with the projects that are stored.
func (s *jobs) checkJobCounters(all *marketItems) {
	posted, jobs, ended := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range all.projects {
		posted[textOf(p, "buyerId")]++
		worker := textOf(p, "acceptedWorkerId")
		done := p["status"] == "COMPLETED"
		jobs[worker] += count(done)
		ended[worker] += count(done || worker != "" && p["cancelledBy"] == worker)
	}
	for id, p := range all.profiles {
		rate := 0.0
		if n := ended[id]; n > 0 {
			rate = math.Floor(100*float64(jobs[id])/float64(n)+0.5) / 100
		}
		stored, _ := p["completionRate"].(float64)
		if numberOf(p, "totalProjects") != posted[id] || numberOf(p, "totalJobs") != jobs[id] ||
			numberOf(p, "endedJobs") != ended[id] || math.Abs(stored-rate) > 1e-9 {
			s.differ("counters of jobs that do not add up", id, "%v, where there are %d posted, %d completed and %d ended",
				p, posted[id], jobs[id], ended[id])
		}
	}
	for at, times := range all.lists {
		if user, rest, _ := strings.Cut(at, " "); !strings.HasPrefix(rest, "ORDER") {
			s.differ("a list of a user with something else", user, "%s: %v", at, times)
		}
	}
}
