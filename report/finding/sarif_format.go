package finding

// The part of SARIF 2.1.0 that is written here. The field names are the standard's; its text defines each.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        map[string]driver `json:"tool"`
	Automation  map[string]string `json:"automationDetails"`
	Invocations []invocation      `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []result          `json:"results"` // never null: that would mean that smux has not looked
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []rule `json:"rules"`
}

type rule struct {
	ID                   string            `json:"id"`
	Name                 string            `json:"name"`
	ShortDescription     *message          `json:"shortDescription,omitempty"`
	FullDescription      *message          `json:"fullDescription,omitempty"`
	Help                 *message          `json:"help,omitempty"`
	HelpURI              string            `json:"helpUri"`
	DefaultConfiguration map[string]string `json:"defaultConfiguration"`
}

type message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type invocation struct {
	ExecutionSuccessful        bool           `json:"executionSuccessful"`
	ToolExecutionNotifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level          string         `json:"level"`
	Message        message        `json:"message"`
	Locations      []location     `json:"locations,omitempty"`
	AssociatedRule *ruleReference `json:"associatedRule,omitempty"`
}

type ruleReference struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

type result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             message           `json:"message"`
	Locations           []location        `json:"locations"`
	RelatedLocations    []location        `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Fixes               []fix             `json:"fixes,omitempty"`
	Suppressions        []suppression     `json:"suppressions,omitempty"`
}

type location struct {
	ID               int               `json:"id,omitempty"`
	PhysicalLocation physicalLocation  `json:"physicalLocation"`
	LogicalLocations []logicalLocation `json:"logicalLocations,omitempty"`
	Message          *message          `json:"message,omitempty"`
}

type physicalLocation struct {
	ArtifactLocation artifactLocation `json:"artifactLocation"`
	Region           *region          `json:"region,omitempty"`
}

type artifactLocation struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type logicalLocation struct {
	Name               string `json:"name"`
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type fix struct {
	Description     message          `json:"description"`
	ArtifactChanges []artifactChange `json:"artifactChanges"`
}

type artifactChange struct {
	ArtifactLocation artifactLocation `json:"artifactLocation"`
	Replacements     []replacement    `json:"replacements"`
}

type replacement struct {
	DeletedRegion   region   `json:"deletedRegion"`
	InsertedContent *message `json:"insertedContent,omitempty"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}
