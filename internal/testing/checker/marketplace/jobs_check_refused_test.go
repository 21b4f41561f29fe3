package marketplace

import (
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// wrongJobs are changes of a right history, by the difference that must be found.
var wrongJobs = map[string]map[string]func(g *fair){
	"a project that nobody posted": {
		"no call":    func(g *fair) { g.project("p9", plain{"title": "m99", "status": "OPEN", "buyerId": "client-0"}) },
		"another id": func(g *fair) { g.all["m1"].project = "p9" },
	},
	"a project that was posted twice": {
		"two ids": func(g *fair) {
			g.all["m15"].project = ""
			g.project("p9", plain{"title": "m15", "status": "OPEN", "buyerId": "client-0"})
		},
	},
	"a call is lost": {
		"a project":      func(g *fair) { delete(g.items.projects, "p3"); g.all["m15"].Receipt = nil },
		"a ticket":       func(g *fair) { delete(g.items.tickets, "m8") },
		"a cancellation": func(g *fair) { g.items.projects["p2"]["cancelReason"] = ""; g.all["m14"].Receipt = nil },
	},
	"half of a call":                       {"only the project": func(g *fair) { delete(g.items.tickets, "m1") }},
	"a call that was refused, and is done": {"a bid": func(g *fair) { g.all["m16"].Answers = checker.Tally{checker.Refused: 1} }},
	"a receipt of something else":          {"kind": func(g *fair) { g.items.tickets["m8"].Kind = bidding }},
	"a receipt that nobody wrote":          {"m99": func(g *fair) { g.items.tickets["m99"] = &checker.Receipt{ID: "m99", Kind: bidding} }},
	"a bid that was refused":               {"m16": func(g *fair) { g.unsure("m16").Answers = checker.Tally{checker.Refused: 1} }},
	"bids for no project":                  {"p9": func(g *fair) { g.items.bids["p9"] = map[string]plain{"mason-0": {}} }},
	"a project that was moved twice":       {"by two": func(g *fair) { g.add("m99", ofMason("1", "p1"), hiring, 30) }},
	"a move of a project is lost": {
		"completed": func(g *fair) { g.add("m99", jobCall{project: "p3"}, completing, 70) },
	},
	"a move of a project that nobody made": {"accepted": func(g *fair) { g.unsure("m9").quote = 9_00 }},
	"a project that was moved in another order": {
		"completed first": func(g *fair) { g.all["m10"].Within = checker.Between(25, 26) },
	},
	"a project that does not follow from its calls": {
		"status":    func(g *fair) { g.items.projects["p3"]["status"] = "UNKNOWN" },
		"buyer":     func(g *fair) { g.items.projects["p3"]["buyerId"] = "client-1" },
		"version":   func(g *fair) { g.items.projects["p1"]["version"] = 4.0 },
		"index":     func(g *fair) { g.items.projects["p1"]["GSI2PK"] = "STATUS#OPEN" },
		"bid":       func(g *fair) { g.items.projects["p1"]["acceptedBidId"] = "p1/mason-1" },
		"worker":    func(g *fair) { g.items.projects["p1"]["acceptedWorkerId"] = "mason-1" },
		"quote":     func(g *fair) { g.all["m9"].quote = 2_00 },
		"who left":  func(g *fair) { g.items.projects["p2"]["cancelledBy"] = "client-1" },
		"no party":  func(g *fair) { g.items.projects["p2"]["cancelledBy"] = "x"; g.all["m14"].by = "x" },
		"no worker": func(g *fair) { delete(g.items.projects["p1"], "acceptedWorkerId") },
	},
	"a project with another number of bids": {
		"more": func(g *fair) { g.items.projects["p1"]["bidCount"] = 3.0 },
		"less": func(g *fair) { g.items.projects["p3"]["bidCount"] = 0.0 },
	},
	"a bid is lost": {"m16": func(g *fair) { delete(g.items.bids, "p3") }},
	"a bid for a project that was closed": {
		"made":      func(g *fair) { g.all["m5"].Within = checker.Between(32, 33) },
		"revised":   func(g *fair) { g.all["m8"].Within = checker.Between(32, 33) },
		"withdrawn": func(g *fair) { g.all["m7"].Within = checker.Between(32, 33) },
	},
	"bids and withdrawals that do not add up": {
		"two bids":         func(g *fair) { g.add("m99", ofMason("1", "p3"), bidding, 65) },
		"back":             func(g *fair) { g.items.bids["p1"]["mason-2"]["status"] = "REJECTED" },
		"withdrawn":        func(g *fair) { g.items.bids["p3"]["mason-1"]["status"] = "WITHDRAWN" },
		"withdrawn, twice": func(g *fair) { g.add("m99", ofMason("2", "p1"), leaving, 24) },
	},
	"a bid whose version does not count its changes": {
		"less": func(g *fair) { g.items.bids["p1"]["mason-0"]["version"] = 2.0 },
		"more": func(g *fair) { g.items.bids["p1"]["mason-0"]["version"] = 4.0 },
	},
	"a bid that does not follow from its calls": {
		"quote":       func(g *fair) { g.items.bids["p1"]["mason-0"]["quote"] = 2.0 },
		"nobody's":    func(g *fair) { g.items.bids["p3"]["mason-1"]["proposal"] = "m99" },
		"another's":   func(g *fair) { g.items.bids["p3"]["mason-1"]["proposal"] = "m12" },
		"overwritten": func(g *fair) { b := g.items.bids["p1"]["mason-0"]; b["proposal"], b["quote"] = "m2", 2.0 },
	},
	"a bid that was accepted beside another one": {
		"two": func(g *fair) { g.items.bids["p1"]["mason-1"]["status"] = "ACCEPTED" },
	},
	"a pending bid for a project that is closed": {
		"not rejected": func(g *fair) { g.items.bids["p1"]["mason-1"]["status"] = "PENDING" },
	},
	"a bid that was rejected for an open project": {
		"p3": func(g *fair) { g.items.bids["p3"]["mason-1"]["status"] = "REJECTED" },
	},
	"a bid with another status": {
		"index":        func(g *fair) { g.items.bids["p3"]["mason-1"]["GSI2PK"] = "STATUS#ACCEPTED#BID" },
		"not accepted": func(g *fair) { g.items.bids["p1"]["mason-0"]["status"] = "REJECTED" },
	},
	"rejections that do not add up": {
		"twice":      func(g *fair) { g.rests[0].rejected = 2 },
		"unfinished": func(g *fair) { g.items.rejecting["p1"] = true },
	},
	"counters of jobs that do not add up": {
		"posted":    func(g *fair) { g.items.profiles["client-0"]["totalProjects"] = 1.0 },
		"completed": func(g *fair) { g.items.profiles["mason-0"]["totalJobs"] = 2.0 },
		"ended":     func(g *fair) { g.items.profiles["mason-0"]["endedJobs"] = 1.0 },
		"rate":      func(g *fair) { g.items.profiles["mason-0"]["completionRate"] = 0.51 },
	},
	"something that its user does not have": {
		"a project":  func(g *fair) { delete(g.items.lists, listed("client-0", "PROJECT", "p1")) },
		"a bid":      func(g *fair) { delete(g.items.lists, listed("mason-1", "BID", "p1")) },
		"twice":      func(g *fair) { g.list("mason-1", "BID", "p1") },
		"other time": func(g *fair) { g.items.lists[listed("mason-1", "BID", "p1")][0] = checker.Instant(9) },
	},
	"a list of a user with something else": {
		"a bid": func(g *fair) { g.list("mason-2", "BID", "p3") },
	},
	"a refusal without the reason that it names": {
		"before the bid":  func(g *fair) { g.deny(ofMason("1", "p1"), bidding, checker.Between(8, 9), dynastay.ErrAlreadyExists) },
		"withdrawn":       func(g *fair) { g.deny(ofMason("2", "p1"), bidding, checker.Between(23, 24), dynastay.ErrAlreadyExists) },
		"there is a bid":  func(g *fair) { g.deny(ofMason("0", "p1"), leaving, checker.Between(20, 21), dynastay.ErrNotFound) },
		"posted long ago": func(g *fair) { g.deny(ofMason("3", "p3"), bidding, checker.Between(8, 9), dynastay.ErrNotFound) },
		"open": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(35, 36), isStatus("p1", projects.Open))
		},
		"not taken yet": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(25, 26), isStatus("p1", projects.InProgress))
		},
		"ended": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(43, 44), isStatus("p1", projects.InProgress))
		},
		"another project": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(31, 35), isStatus("p2", projects.InProgress))
		},
		"never cancelled": func(g *fair) {
			g.deny(ofMason("3", "p1"), bidding, checker.Between(31, 99), isStatus("p1", projects.Cancelled))
		},
		"in progress": func(g *fair) {
			g.deny(jobCall{project: "p1"}, completing, checker.Between(31, 35), isStatus("p1", projects.InProgress))
		},
		"bid again": func(g *fair) {
			g.deny(ofMason("1", "p1"), leaving, checker.Between(18, 19), isBid("mason-1", projects.Withdrawn))
		},
		"never withdrawn": func(g *fair) {
			g.deny(ofMason("0", "p1"), leaving, checker.Between(18, 19), isBid("mason-0", projects.Withdrawn))
		},
		"not accepted": func(g *fair) {
			g.deny(ofMason("1", "p1"), leaving, checker.Between(31, 32), isBid("mason-1", projects.Accepted))
		},
		"not rejected yet": func(g *fair) {
			g.deny(ofMason("1", "p1"), leaving, checker.Between(31, 32), isBid("mason-1", projects.Rejected))
		},
		"pending": func(g *fair) {
			g.deny(ofMason("0", "p1"), revising, checker.Between(25, 26), isBid("mason-0", projects.Pending))
		},
		"another worker's bid": func(g *fair) {
			g.deny(ofMason("0", "p1"), revising, checker.Between(25, 26), isBid("mason-2", projects.Withdrawn))
		},
		"the same quote":     func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(25, 26), isQuote(1_00, 1_00)) },
		"an older quote":     func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(25, 26), isQuote(1_00, 2_00)) },
		"a later quote":      func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(12, 13), isQuote(1_00, 3_00)) },
		"nobody's quote":     func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(25, 26), isQuote(1_00, 4_00)) },
		"another quote seen": func(g *fair) { g.deny(ofMason("0", "p1"), hiring, checker.Between(25, 26), isQuote(2_00, 3_00)) },
		"the buyer": func(g *fair) {
			g.deny(jobCall{project: "p1", by: "client-0"}, abandoning, checker.Between(31, 32), projects.ErrNotParty)
		},
		"the worker": func(g *fair) {
			g.deny(jobCall{project: "p1", by: "mason-0"}, abandoning, checker.Between(33, 34), projects.ErrNotParty)
		},
		"another reason": func(g *fair) { g.deny(ofMason("0", "p1"), bidding, checker.Between(25, 26), dynastay.ErrVersion) },
	},
}

func TestWrongJobs(t *testing.T) { checker.Rejects(t, newFair, (*fair).check, wrongJobs) }
