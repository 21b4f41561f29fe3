package reference

// stateCapitals are the capitals of the US states, by code. The District of Columbia has none.
var stateCapitals = map[string]string{
	"AK": "Juneau", "AL": "Montgomery", "AR": "Little Rock", "AZ": "Phoenix", "CA": "Sacramento", "CO": "Denver", "CT": "Hartford",
	"DC": "", "DE": "Dover", "FL": "Tallahassee", "GA": "Atlanta", "HI": "Honolulu", "IA": "Des Moines", "ID": "Boise",
	"IL": "Springfield", "IN": "Indianapolis", "KS": "Topeka", "KY": "Frankfort", "LA": "Baton Rouge", "MA": "Boston",
	"MD": "Annapolis", "ME": "Augusta", "MI": "Lansing", "MN": "Saint Paul", "MO": "Jefferson City", "MS": "Jackson",
	"MT": "Helena", "NC": "Raleigh", "ND": "Bismarck", "NE": "Lincoln", "NH": "Concord", "NJ": "Trenton", "NM": "Santa Fe",
	"NV": "Carson City", "NY": "Albany", "OH": "Columbus", "OK": "Oklahoma City", "OR": "Salem", "PA": "Harrisburg",
	"RI": "Providence", "SC": "Columbia", "SD": "Pierre", "TN": "Nashville", "TX": "Austin", "UT": "Salt Lake City",
	"VA": "Richmond", "VT": "Montpelier", "WA": "Olympia", "WI": "Madison", "WV": "Charleston", "WY": "Cheyenne",
}

var stateAliases = map[string][]string{
	"DC": {"Washington, D.C."},
	"NM": {"Nuevo México"},
	"NY": {"New York State"},
	"WA": {"Washington State"},
}

// provinceCapitals are the capitals of the Canadian provinces and territories, by code.
var provinceCapitals = map[string]string{
	"AB": "Edmonton", "BC": "Victoria", "MB": "Winnipeg", "NB": "Fredericton", "NL": "St. John's", "NS": "Halifax",
	"NT": "Yellowknife", "NU": "Iqaluit", "ON": "Toronto", "PE": "Charlottetown", "QC": "Quebec City", "SK": "Regina", "YT": "Whitehorse",
}

var provinceAliases = map[string][]string{
	"BC": {"Colombie-Britannique"},
	"NB": {"Nouveau-Brunswick"},
	"NL": {"Newfoundland", "Labrador", "Terre-Neuve-et-Labrador"},
	"NS": {"Nouvelle-Écosse"},
	"NT": {"Territoires du Nord-Ouest", "NWT"},
	"PE": {"PEI", "Île-du-Prince-Édouard"},
	"YT": {"Yukon Territory"},
}
