package policy

import "strings"

// worker is the name in needs.json of what package consumer sends itself. What its handlers send has names of its own.
const worker = "entity/stream/consumer.Consumer.Run"

// streams are the tables with a stream whose changes a repository returns, see its method Changes.
var streams = map[string][]string{
	"availability/units": {"Properties"},
	"bookings":           {"Bookings"},
	"bookings/venue":     {"VenueBooking"},
	"properties":         {"Properties"},
	"reviews":            {"Reviews"},
	"users":              {"Users"},
}

// OfStream reports whether an action is for the streams of a table.
func OfStream(action string) bool {
	return action == "ListStreams" || action == "DescribeStream" || action == "GetShardIterator" || action == "GetRecords"
}

// controlActions are those of provision.Control.
var controlActions = []string{
	"CreateTable", "DescribeContinuousBackups", "DescribeTable", "DescribeTimeToLive", "ListTagsOfResource", "TagResource",
	"UpdateContinuousBackups", "UpdateTable", "UpdateTimeToLive",
}

func describes(action string) bool {
	return strings.HasPrefix(action, "Describe") || strings.HasPrefix(action, "List")
}

// scalingActions compare the scaling of provisioned capacity. They are not for a single resource.
var scalingActions = []string{"application-autoscaling:DescribeScalableTargets", "application-autoscaling:DescribeScalingPolicies"}
