package parser

// Field is the name under which a node is stored in its parent.
type Field uint8

// The fields of the C++ grammar, by their grammar names.
const (
	FieldNone Field = iota
	FieldAlternative
	FieldArgument
	FieldArguments
	FieldAssemblyCode
	FieldBase
	FieldBody
	FieldCaptures
	FieldClobbers
	FieldCondition
	FieldConsequence
	FieldConstraint
	FieldDeclarator
	FieldDefaultType
	FieldDefaultValue
	FieldDelimiter
	FieldDesignator
	FieldDirective
	FieldEnd
	FieldField
	FieldFilter
	FieldFunction
	FieldGotoLabels
	FieldIndices
	FieldInitializer
	FieldInputOperands
	FieldLabel
	FieldLeft
	FieldLength
	FieldMember
	FieldMessage
	FieldName
	FieldOperand
	FieldOperator
	FieldOutputOperands
	FieldParameters
	FieldPath
	FieldPattern
	FieldPlacement
	FieldPrefix
	FieldRegister
	FieldRequirements
	FieldRight
	FieldScope
	FieldSize
	FieldStart
	FieldSymbol
	FieldTemplateParameters
	FieldType
	FieldUpdate
	FieldValue

	fieldCount
)

var fieldNames = [fieldCount]string{
	FieldAlternative:        "alternative",
	FieldArgument:           "argument",
	FieldArguments:          "arguments",
	FieldAssemblyCode:       "assembly_code",
	FieldBase:               "base",
	FieldBody:               "body",
	FieldCaptures:           "captures",
	FieldClobbers:           "clobbers",
	FieldCondition:          "condition",
	FieldConsequence:        "consequence",
	FieldConstraint:         "constraint",
	FieldDeclarator:         "declarator",
	FieldDefaultType:        "default_type",
	FieldDefaultValue:       "default_value",
	FieldDelimiter:          "delimiter",
	FieldDesignator:         "designator",
	FieldDirective:          "directive",
	FieldEnd:                "end",
	FieldField:              "field",
	FieldFilter:             "filter",
	FieldFunction:           "function",
	FieldGotoLabels:         "goto_labels",
	FieldIndices:            "indices",
	FieldInitializer:        "initializer",
	FieldInputOperands:      "input_operands",
	FieldLabel:              "label",
	FieldLeft:               "left",
	FieldLength:             "length",
	FieldMember:             "member",
	FieldMessage:            "message",
	FieldName:               "name",
	FieldOperand:            "operand",
	FieldOperator:           "operator",
	FieldOutputOperands:     "output_operands",
	FieldParameters:         "parameters",
	FieldPath:               "path",
	FieldPattern:            "pattern",
	FieldPlacement:          "placement",
	FieldPrefix:             "prefix",
	FieldRegister:           "register",
	FieldRequirements:       "requirements",
	FieldRight:              "right",
	FieldScope:              "scope",
	FieldSize:               "size",
	FieldStart:              "start",
	FieldSymbol:             "symbol",
	FieldTemplateParameters: "template_parameters",
	FieldType:               "type",
	FieldUpdate:             "update",
	FieldValue:              "value",
}
