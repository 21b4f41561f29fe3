package marketplace

import (
	"math"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

func (s *jobs) Check() { s.checkJobs(s.readMarket()) }

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
	checker.Span
	by *jobCall
}

func (s *jobs) checkJobs(all *items) {
	lives, stored := map[string]*jobLife{}, map[*jobCall]bool{}
	for id, p := range all.projects {
		c := s.all[checker.TextOf(p, "title")]
		switch {
		case c != nil && stored[c]:
			s.Differ("a project that was posted twice", c.Items, "%v", p)
			continue
		case c == nil || c.kind != posting || c.project != "" && c.project != id:
			s.Differ("a project that nobody posted", id, "%v", p)
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
	s.CheckReceipts(all.tickets, posting, bidding, revising, leaving, hiring, completing, abandoning)
	for id, l := range lives {
		p, bids := all.projects[id], all.bids[id]
		s.checkListed(all, checker.TextOf(p, "buyerId"), "PROJECT", id, p)
		s.follow(l, p, bids)
		s.checkBids(l, p, all)
		for worker, b := range bids {
			s.checkListed(all, worker, "BID", id, b)
		}
		s.checkRests(id, all)
		delete(all.bids, id)
	}
	for id, bids := range all.bids {
		s.Differ("bids for no project", id, "%v", bids)
	}
	s.checkJobCounters(all)
	for _, c := range s.all {
		for _, told := range c.Refusals {
			if !s.justifiedJob(c, told, lives[c.project]) {
				s.Differ("a refusal without the reason that it names", c.Items, "%s %s: %v", c.Name, c.About, told.Err)
			}
		}
	}
}

// decideJob looks for what a call has left: a new project its title, a cancellation its reason.
func (s *jobs) decideJob(c *jobCall, l *jobLife, all *items) {
	switch c.kind {
	case posting:
		s.Decide(c.Deed, all.tickets, l != nil)
	case abandoning:
		s.Decide(c.Deed, all.tickets, checker.TextOf(all.projects[c.project], "cancelReason") == c.Mark)
	default:
		s.Decide(c.Deed, all.tickets)
	}
	if b := all.bids[c.project][c.worker]; (c.kind == bidding || c.kind == revising) && checker.TextOf(b, "proposal") == c.Mark {
		if c.Saw(s.Moment()); c.Verdict() == checker.Refused || c.Undone {
			s.Differ("a bid that was refused", c.Items, "%s: %v", c.About, b)
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
		case c.Done():
			certain = append(certain, c)
		case c.Could():
			maybe = append(maybe, c)
		}
	}
	return certain, maybe
}

// follow finds the calls that have moved a project to its status, each once.
func (s *jobs) follow(l *jobLife, p plain, bids map[string]plain) {
	worker := checker.TextOf(p, "acceptedWorkerId")
	l.statuses = []jobStatus{{projects.Open, checker.Since(l.posted.Within.From), l.posted}}
	moves := 0
	for _, kind := range []string{hiring, completing, abandoning} {
		certain, maybe := split(l.of("", kind))
		there := checker.TextOf(p, "status") == string(after[kind])
		if kind == hiring {
			there = worker != ""
			maybe = slices.DeleteFunc(maybe, func(c *jobCall) bool {
				return c.worker != worker || c.quote != checker.Cents(bids[worker]["quote"])
			})
		}
		switch {
		case len(certain) > 1:
			s.Differ("a project that was moved twice", l.id, "%s: %s and %s", kind, certain[0].About, certain[1].About)
		case len(certain) > 0 && !there:
			s.Differ("a move of a project is lost", l.id, "%s: %v", certain[0].About, p)
		case there && len(certain)+len(maybe) == 0:
			s.Differ("a move of a project that nobody made", l.id, "%s: %v", kind, p)
		}
		if !there {
			continue
		}
		moves++
		now := jobStatus{after[kind], checker.Since(0), nil}
		if len(certain) > 0 {
			now.Span, now.by = checker.Since(certain[0].Within.From), certain[0]
		}
		last := &l.statuses[len(l.statuses)-1]
		if now.by != nil {
			last.To = now.by.Within.To
		}
		if last.by != nil {
			now.From = max(now.From, last.From)
		}
		if l.statuses = append(l.statuses, now); last.To < last.From {
			s.Differ("a project that was moved in another order", l.id, "%s at %v", kind, now)
		}
	}
	s.checkProject(l, p, bids, moves)
}

// checkProject compares the attributes of a project with the calls that have moved it.
func (s *jobs) checkProject(l *jobLife, p plain, bids map[string]plain, moves int) {
	last, worker := l.statuses[len(l.statuses)-1], checker.TextOf(p, "acceptedWorkerId")
	status := string(last.status)
	ok := checker.TextOf(p, "status") == status && checker.TextOf(p, "buyerId") == l.posted.client && checker.NumberOf(p, "version") == 1+moves &&
		strings.HasPrefix(checker.TextOf(p, "GSI2PK"), "STATUS#"+status) && !(status == "COMPLETED" && worker == "")
	for _, v := range l.statuses {
		switch b := bids[worker]; {
		case v.by == nil:
		case v.by.kind == hiring:
			ok = ok && worker == v.by.worker && checker.Cents(b["quote"]) == v.by.quote &&
				checker.TextOf(p, "acceptedBidId") == checker.TextOf(b, "bidId")
		case v.by.kind == abandoning:
			ok = ok && checker.TextOf(p, "cancelledBy") == v.by.by && (v.by.by == l.posted.client || v.by.by == worker)
		}
	}
	if !ok {
		s.Differ("a project that does not follow from its calls", l.id, "%v, %v", p, bids)
	}
	live := 0
	for _, b := range bids {
		live += checker.Count(b["status"] != "WITHDRAWN")
	}
	if checker.NumberOf(p, "bidCount") != live {
		s.Differ("a project with another number of bids", l.id, "%d, and %d are stored", checker.NumberOf(p, "bidCount"), live)
	}
}

// checkBids compares the bids for a project with their calls.
func (s *jobs) checkBids(l *jobLife, p plain, all *items) {
	for worker, b := range all.bids[l.id] {
		s.checkBid(l, p, worker, b)
	}
	// What was carried out after the project was closed, or for a bid that is not there.
	for _, c := range l.of("", bidding, revising, leaving, hiring) {
		if c.Done() && all.bids[l.id][c.worker] == nil {
			s.Differ("a bid is lost", c.Items, "%s %s", c.Name, c.About)
		}
		if c.Done() && c != l.statuses[min(1, len(l.statuses)-1)].by && c.Within.From > l.statuses[0].To {
			s.Differ("a bid for a project that was closed", c.Items, "%s %s", c.Name, c.About)
		}
	}
}

func (s *jobs) checkBid(l *jobLife, p plain, worker string, b plain) {
	differ := func(kind string) { s.Differ(kind, l.id+" "+worker, "%v", b) }
	status := checker.TextOf(b, "status")
	bids, maybeBids := split(l.of(worker, bidding))
	gone, maybeGone := split(l.of(worker, leaving))
	live := checker.Count(status != "WITHDRAWN")
	if len(bids) > live+len(gone)+len(maybeGone) || len(bids)+len(maybeBids) < live+len(gone) {
		differ("bids and withdrawals that do not add up")
	}
	revised, maybeRevised := split(l.of(worker, revising))
	least := len(bids) + len(gone) + len(revised) + checker.Count(status == "ACCEPTED" || status == "REJECTED")
	if v := checker.NumberOf(b, "version"); v < least || v > least+len(maybeBids)+len(maybeGone)+len(maybeRevised) {
		differ("a bid whose version does not count its changes")
	}
	texts := l.of(worker, bidding, revising)
	c := s.all[checker.TextOf(b, "proposal")]
	if !slices.Contains(texts, c) || checker.Cents(b["quote"]) != c.quote || c.overwritten(checker.Ever, texts) {
		differ("a bid that does not follow from its calls")
	}
	won := checker.TextOf(p, "acceptedWorkerId") == worker
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
	if won != (status == "ACCEPTED") || !strings.HasPrefix(checker.TextOf(b, "GSI2PK"), "STATUS#"+status+"#BID") {
		differ("a bid with another status")
	}
}

// checkRests counts the bids that were rejected: each of them once.
func (s *jobs) checkRests(id string, all *items) {
	lost, told := 0, 0
	for _, b := range all.bids[id] {
		lost += checker.Count(b["status"] == "REJECTED")
	}
	for _, r := range s.rests {
		if r.project == id {
			told += r.rejected
		}
	}
	if told > lost || all.rejecting[id] {
		s.Differ("rejections that do not add up", id, "%d are stored, %d were told of", lost, told)
	}
}

// checkJobCounters compares the profiles with the projects that are stored.
func (s *jobs) checkJobCounters(all *items) {
	posted, jobs, ended := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range all.projects {
		posted[checker.TextOf(p, "buyerId")]++
		worker := checker.TextOf(p, "acceptedWorkerId")
		done := p["status"] == "COMPLETED"
		jobs[worker] += checker.Count(done)
		ended[worker] += checker.Count(done || worker != "" && p["cancelledBy"] == worker)
	}
	for id, p := range all.profiles {
		rate := 0.0
		if n := ended[id]; n > 0 {
			rate = math.Floor(100*float64(jobs[id])/float64(n)+0.5) / 100
		}
		stored, _ := p["completionRate"].(float64)
		if checker.NumberOf(p, "totalProjects") != posted[id] || checker.NumberOf(p, "totalJobs") != jobs[id] ||
			checker.NumberOf(p, "endedJobs") != ended[id] || math.Abs(stored-rate) > 1e-9 {
			s.Differ("counters of jobs that do not add up", id, "%v, where there are %d posted, %d completed and %d ended",
				p, posted[id], jobs[id], ended[id])
		}
	}
	for at, times := range all.lists {
		if user, rest, _ := strings.Cut(at, " "); !strings.HasPrefix(rest, "ORDER") {
			s.Differ("a list of a user with something else", user, "%s: %v", at, times)
		}
	}
}
