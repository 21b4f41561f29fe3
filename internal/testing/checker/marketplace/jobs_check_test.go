package marketplace

import (
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// fair is a history of jobs: p1 was given to mason-0 and completed, while mason-1 lost and mason-2 had withdrawn; p2
// was left by its worker; p3 is open; and p4 was cancelled while it was open.
type fair struct {
	*jobs
	items *items
}

func newFair(t *testing.T) *fair {
	g := &fair{newJobs(checker.Histories(t)), newItems()}
	g.post("m1", "p1", "client-0", 2)
	g.post("m11", "p2", "client-1", 4)
	g.post("m15", "p3", "client-0", 6)
	g.post("m17", "p4", "client-1", 8)
	g.add("m2", jobCall{project: "p1", worker: "mason-0", quote: 2_00}, bidding, 10)
	g.add("m3", jobCall{project: "p1", worker: "mason-1", quote: 3_00}, bidding, 12)
	g.add("m4", jobCall{project: "p1", worker: "mason-1"}, leaving, 14)
	g.add("m5", jobCall{project: "p1", worker: "mason-1", quote: 1_00}, bidding, 16)
	g.add("m6", jobCall{project: "p1", worker: "mason-2", quote: 4_00}, bidding, 18)
	g.add("m7", jobCall{project: "p1", worker: "mason-2"}, leaving, 20)
	g.add("m8", jobCall{project: "p1", worker: "mason-0", quote: 3_00}, revising, 22)
	g.add("m9", jobCall{project: "p1", worker: "mason-0", quote: 3_00}, hiring, 30)
	g.rests = []*rest{{checker.Since(33), "p1", 1}}
	g.add("m10", jobCall{project: "p1"}, completing, 40)
	g.add("m12", jobCall{project: "p2", worker: "mason-0", quote: 2_00}, bidding, 50)
	g.add("m13", jobCall{project: "p2", worker: "mason-0", quote: 2_00}, hiring, 52)
	g.add("m14", jobCall{project: "p2", by: "mason-0"}, abandoning, 54)
	g.add("m16", jobCall{project: "p3", worker: "mason-1", quote: 2_00}, bidding, 60)
	g.add("m18", jobCall{project: "p4", by: "client-1"}, abandoning, 62)

	g.project("p1", plain{
		"title": "m1", "buyerId": "client-0", "status": "COMPLETED", "bidCount": 2.0, "acceptedWorkerId": "mason-0",
		"acceptedBidId": "p1/mason-0", "version": 3.0,
	})
	g.project("p2", plain{
		"title": "m11", "buyerId": "client-1", "status": "CANCELLED", "bidCount": 1.0, "acceptedWorkerId": "mason-0",
		"acceptedBidId": "p2/mason-0", "cancelledBy": "mason-0", "cancelReason": "m14", "version": 3.0,
	})
	g.project("p3", plain{"title": "m15", "buyerId": "client-0", "status": "OPEN", "bidCount": 1.0, "version": 1.0})
	g.project("p4", plain{
		"title": "m17", "buyerId": "client-1", "status": "CANCELLED", "bidCount": 0.0, "cancelledBy": "client-1",
		"cancelReason": "m18", "version": 2.0,
	})
	g.bidOf("p1", "mason-0", "m8", "ACCEPTED", 3, 3)
	g.bidOf("p1", "mason-1", "m5", "REJECTED", 1, 4)
	g.bidOf("p1", "mason-2", "m6", "WITHDRAWN", 4, 2)
	g.bidOf("p2", "mason-0", "m12", "ACCEPTED", 2, 2)
	g.bidOf("p3", "mason-1", "m16", "PENDING", 2, 1)
	g.items.profiles["client-0"] = plain{"totalProjects": 2.0}
	g.items.profiles["client-1"] = plain{"totalProjects": 2.0}
	g.items.profiles["mason-0"] = plain{"totalJobs": 1.0, "endedJobs": 2.0, "completionRate": 0.5}
	g.items.profiles["mason-1"] = plain{}
	return g
}

// add adds a call that was acknowledged, within two moments, with its ticket.
func (g *fair) add(mark string, c jobCall, kind string, at checker.Moment) *jobCall {
	c.call = &call{Deed: checker.Answered(mark, checker.Acknowledged, checker.Between(at, at+1)), kind: kind}
	g.all[mark], g.items.tickets[mark] = &c, c.Left(kind, "")
	return &c
}

func (g *fair) post(mark, id, client string, at checker.Moment) {
	g.add(mark, jobCall{project: id, client: client}, posting, at)
}

func (g *fair) project(id string, p plain) {
	p["createdAt"], p["GSI2PK"] = checker.Stamp(0), "STATUS#"+p["status"].(string)
	g.items.projects[id] = p
	g.list(p["buyerId"].(string), "PROJECT", id)
}

func (g *fair) bidOf(project, worker, mark, status string, rands, version float64) {
	if g.items.bids[project] == nil {
		g.items.bids[project] = map[string]plain{}
	}
	g.items.bids[project][worker] = plain{
		"bidId": project + "/" + worker, "proposal": mark, "status": status, "quote": rands, "version": version,
		"createdAt": checker.Stamp(0), "GSI2PK": "STATUS#" + status + "#BID",
	}
	g.list(worker, "BID", project)
}

func (g *fair) list(user, kind, id string) {
	at := listed(user, kind, id)
	g.items.lists[at] = append(g.items.lists[at], checker.Instant(0))
}

// unsure makes a call unknown that has left nothing of its own.
func (g *fair) unsure(mark string) *jobCall {
	c := g.all[mark]
	c.Deed = checker.Answered(mark, checker.Unknown, checker.Since(c.Within.From))
	delete(g.items.tickets, mark)
	return c
}

// deny adds a call that was refused.
func (g *fair) deny(c jobCall, kind string, at checker.Span, err error) {
	made := g.add("m99", c, kind, at.From)
	made.Deny(at, err)
	delete(g.items.tickets, "m99")
}

var (
	ofMason  = func(n, project string) jobCall { return jobCall{project: project, worker: "mason-" + n, quote: 1_00} }
	isStatus = func(project string, status projects.Status) error {
		return &projects.StatusError{ProjectID: project, Status: status}
	}
	isBid = func(worker string, status projects.BidStatus) error {
		return &projects.BidStatusError{ProjectID: "p1", WorkerID: worker, Status: status}
	}
	isQuote = func(seen, now int64) error {
		return &projects.QuoteError{ProjectID: "p1", WorkerID: "mason-0", Seen: rands(seen), Now: rands(now)}
	}
)

func (g *fair) check() { g.checkJobs(g.items) }

func TestRightJobs(t *testing.T) {
	checker.Accepts(t, newFair, (*fair).check, map[string]func(g *fair){
		"nothing else": func(*fair) {},
		"a bid when there is one": func(g *fair) {
			g.deny(ofMason("1", "p1"), bidding, checker.Between(13, 14), dynastay.ErrAlreadyExists)
		},
		"a bid for what is taken": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(31, 35), isStatus("p1", projects.InProgress))
		},
		"a bid after the end": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(41, 42), isStatus("p1", projects.Completed))
		},
		"a withdrawal of no bid":   func(g *fair) { g.deny(ofMason("3", "p1"), leaving, checker.Between(20, 21), dynastay.ErrNotFound) },
		"a bid before the project": func(g *fair) { g.deny(ofMason("3", "p3"), bidding, checker.Between(6, 9), dynastay.ErrNotFound) },
		"a withdrawal, again": func(g *fair) {
			g.deny(ofMason("2", "p1"), leaving, checker.Between(21, 22), isBid("mason-2", projects.Withdrawn))
		},
		"a revision, once accepted": func(g *fair) {
			g.deny(ofMason("0", "p1"), revising, checker.Between(31, 32), isBid("mason-0", projects.Accepted))
		},
		"a revision, once rejected": func(g *fair) {
			g.deny(ofMason("1", "p1"), revising, checker.Between(31, 34), isBid("mason-1", projects.Rejected))
		},
		"another quote":   func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(11, 13), isQuote(1_00, 2_00)) },
		"a revised quote": func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(22, 26), isQuote(1_00, 3_00)) },
		"not a party": func(g *fair) {
			g.deny(jobCall{project: "p1", by: "mason-1"}, abandoning, checker.Between(31, 32), projects.ErrNotParty)
		},
		"not a party yet": func(g *fair) {
			g.deny(jobCall{project: "p1", by: "mason-0"}, abandoning, checker.Between(29, 32), projects.ErrNotParty)
		},
		"completed too early": func(g *fair) {
			g.deny(jobCall{project: "p1"}, completing, checker.Between(29, 30), isStatus("p1", projects.Open))
		},
		"cancelled twice": func(g *fair) {
			g.deny(jobCall{project: "p2"}, abandoning, checker.Between(55, 56), isStatus("p2", projects.Cancelled))
		},
		"an unknown completion": func(g *fair) { g.unsure("m10") },
		"an unknown acceptance": func(g *fair) { g.unsure("m9") },
		"an unknown withdrawal": func(g *fair) { g.unsure("m7") },
		"an unknown bid":        func(g *fair) { g.unsure("m16") },
		"an unknown rejection":  func(g *fair) { g.rests[0].rejected = 0 },
	})
}
