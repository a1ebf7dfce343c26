package views

// download is a file that the room can be taken along as.
type download struct {
	// Path lies below the room's; File is the name under which it is kept, after
	// the room's.
	Path, File string
	Format     string
	For        string // what it is good for
}

// downloads are the files in groups of what they hold.
var downloads = []struct {
	Title string
	Files []download
}{
	{"Requests", []download{
		{"trace", "requests.csv", "CSV", "for burstlab replay; each key as it was sent"},
		{"trace.json", "requests.json", "JSON", "for programs"},
	}},
	{"Decisions", []download{
		{"decisions.csv", "decisions.csv", "CSV", "for a spreadsheet, a row for each request and policy"},
		{"decisions.json", "decisions.json", "JSON", "for programs, one array"},
		{"decisions", "decisions.jsonl", "JSONL", "a line for each, as burstlab replay prints them"},
	}},
	{"Scores", []download{
		{"scores.csv", "scores.csv", "CSV", "for a spreadsheet, a row for each policy"},
	}},
}
