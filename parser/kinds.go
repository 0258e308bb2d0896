package parser

// Kind is the kind of a syntax node: the grammar's symbol name, one number per
// name. Anonymous tokens ("+", "if") are KindToken: their text tells them apart.
type Kind uint8

// The node kinds of the C++ grammar, by their grammar names.
const (
	KindToken Kind = iota // any anonymous token, and hidden rules
	KindError             // ERROR
	KindAbstractArrayDeclarator
	KindAbstractFunctionDeclarator
	KindAbstractParenthesizedDeclarator
	KindAbstractPointerDeclarator
	KindAbstractReferenceDeclarator
	KindAccessSpecifier
	KindAliasDeclaration
	KindAlignasQualifier
	KindAlignofExpression
	KindArgumentList
	KindArrayDeclarator
	KindAssignmentExpression
	KindAttribute
	KindAttributeDeclaration
	KindAttributeSpecifier
	KindAttributedDeclarator
	KindAttributedStatement
	KindAuto
	KindBaseClassClause
	KindBinaryExpression
	KindBitfieldClause
	KindBreakStatement
	KindCallExpression
	KindCaseStatement
	KindCastExpression
	KindCatchClause
	KindCharLiteral
	KindCharacter
	KindClassSpecifier
	KindCoAwaitExpression
	KindCoReturnStatement
	KindCoYieldStatement
	KindCommaExpression
	KindComment
	KindCompoundLiteralExpression
	KindCompoundRequirement
	KindCompoundStatement
	KindConcatenatedString
	KindConceptDefinition
	KindConditionClause
	KindConditionalExpression
	KindConstraintConjunction
	KindConstraintDisjunction
	KindContinueStatement
	KindDeclaration
	KindDeclarationList
	KindDecltype
	KindDefaultMethodClause
	KindDeleteExpression
	KindDeleteMethodClause
	KindDependentName
	KindDependentType
	KindDestructorName
	KindDoStatement
	KindElseClause
	KindEnumSpecifier
	KindEnumerator
	KindEnumeratorList
	KindEscapeSequence
	KindExplicitFunctionSpecifier
	KindExpressionStatement
	KindFalse
	KindFieldDeclaration
	KindFieldDeclarationList
	KindFieldDesignator
	KindFieldExpression
	KindFieldIdentifier
	KindFieldInitializer
	KindFieldInitializerList
	KindFoldExpression
	KindForRangeLoop
	KindForStatement
	KindFriendDeclaration
	KindFunctionDeclarator
	KindFunctionDefinition
	KindGenericExpression
	KindGnuAsmClobberList
	KindGnuAsmExpression
	KindGnuAsmGotoList
	KindGnuAsmInputOperand
	KindGnuAsmInputOperandList
	KindGnuAsmOutputOperand
	KindGnuAsmOutputOperandList
	KindGnuAsmQualifier
	KindGotoStatement
	KindIdentifier
	KindIfStatement
	KindInitDeclarator
	KindInitStatement
	KindInitializerList
	KindInitializerPair
	KindLabeledStatement
	KindLambdaCaptureSpecifier
	KindLambdaDefaultCapture
	KindLambdaExpression
	KindLinkageSpecification
	KindLiteralSuffix
	KindMsBasedModifier
	KindMsCallModifier
	KindMsDeclspecModifier
	KindMsPointerModifier
	KindMsRestrictModifier
	KindMsSignedPtrModifier
	KindMsUnalignedPtrModifier
	KindMsUnsignedPtrModifier
	KindNamespaceAliasDefinition
	KindNamespaceDefinition
	KindNamespaceIdentifier
	KindNestedNamespaceSpecifier
	KindNewDeclarator
	KindNewExpression
	KindNoexcept
	KindNull
	KindNumberLiteral
	KindOffsetofExpression
	KindOperatorCast
	KindOperatorName
	KindOptionalParameterDeclaration
	KindOptionalTypeParameterDeclaration
	KindParameterDeclaration
	KindParameterList
	KindParameterPackExpansion
	KindParenthesizedDeclarator
	KindParenthesizedExpression
	KindPlaceholderTypeSpecifier
	KindPointerDeclarator
	KindPointerExpression
	KindPointerTypeDeclarator
	KindPreprocArg
	KindPreprocCall
	KindPreprocDef
	KindPreprocDefined
	KindPreprocDirective
	KindPreprocElif
	KindPreprocElifdef
	KindPreprocElse
	KindPreprocFunctionDef
	KindPreprocIf
	KindPreprocIfdef
	KindPreprocInclude
	KindPreprocParams
	KindPrimitiveType
	KindPureVirtualClause
	KindQualifiedIdentifier
	KindRawStringContent
	KindRawStringDelimiter
	KindRawStringLiteral
	KindRefQualifier
	KindReferenceDeclarator
	KindRequirementSeq
	KindRequiresClause
	KindRequiresExpression
	KindReturnStatement
	KindSehExceptClause
	KindSehFinallyClause
	KindSehLeaveStatement
	KindSehTryStatement
	KindSimpleRequirement
	KindSizedTypeSpecifier
	KindSizeofExpression
	KindStatementIdentifier
	KindStaticAssertDeclaration
	KindStorageClassSpecifier
	KindStringContent
	KindStringLiteral
	KindStructSpecifier
	KindStructuredBindingDeclarator
	KindSubscriptArgumentList
	KindSubscriptDesignator
	KindSubscriptExpression
	KindSubscriptRangeDesignator
	KindSwitchStatement
	KindSystemLibString
	KindTemplateArgumentList
	KindTemplateDeclaration
	KindTemplateFunction
	KindTemplateInstantiation
	KindTemplateMethod
	KindTemplateParameterList
	KindTemplateTemplateParameterDeclaration
	KindTemplateType
	KindThis
	KindThrowSpecifier
	KindThrowStatement
	KindTrailingReturnType
	KindTranslationUnit
	KindTrue
	KindTryStatement
	KindTypeDefinition
	KindTypeDescriptor
	KindTypeIdentifier
	KindTypeParameterDeclaration
	KindTypeQualifier
	KindTypeRequirement
	KindUnaryExpression
	KindUnionSpecifier
	KindUpdateExpression
	KindUserDefinedLiteral
	KindUsingDeclaration
	KindVariadicDeclarator
	KindVariadicParameterDeclaration
	KindVariadicTypeParameterDeclaration
	KindVirtual
	KindVirtualSpecifier
	KindWhileStatement

	kindCount
)

var kindNames = [kindCount]string{
	KindToken:                                "token",
	KindError:                                "ERROR",
	KindAbstractArrayDeclarator:              "abstract_array_declarator",
	KindAbstractFunctionDeclarator:           "abstract_function_declarator",
	KindAbstractParenthesizedDeclarator:      "abstract_parenthesized_declarator",
	KindAbstractPointerDeclarator:            "abstract_pointer_declarator",
	KindAbstractReferenceDeclarator:          "abstract_reference_declarator",
	KindAccessSpecifier:                      "access_specifier",
	KindAliasDeclaration:                     "alias_declaration",
	KindAlignasQualifier:                     "alignas_qualifier",
	KindAlignofExpression:                    "alignof_expression",
	KindArgumentList:                         "argument_list",
	KindArrayDeclarator:                      "array_declarator",
	KindAssignmentExpression:                 "assignment_expression",
	KindAttribute:                            "attribute",
	KindAttributeDeclaration:                 "attribute_declaration",
	KindAttributeSpecifier:                   "attribute_specifier",
	KindAttributedDeclarator:                 "attributed_declarator",
	KindAttributedStatement:                  "attributed_statement",
	KindAuto:                                 "auto",
	KindBaseClassClause:                      "base_class_clause",
	KindBinaryExpression:                     "binary_expression",
	KindBitfieldClause:                       "bitfield_clause",
	KindBreakStatement:                       "break_statement",
	KindCallExpression:                       "call_expression",
	KindCaseStatement:                        "case_statement",
	KindCastExpression:                       "cast_expression",
	KindCatchClause:                          "catch_clause",
	KindCharLiteral:                          "char_literal",
	KindCharacter:                            "character",
	KindClassSpecifier:                       "class_specifier",
	KindCoAwaitExpression:                    "co_await_expression",
	KindCoReturnStatement:                    "co_return_statement",
	KindCoYieldStatement:                     "co_yield_statement",
	KindCommaExpression:                      "comma_expression",
	KindComment:                              "comment",
	KindCompoundLiteralExpression:            "compound_literal_expression",
	KindCompoundRequirement:                  "compound_requirement",
	KindCompoundStatement:                    "compound_statement",
	KindConcatenatedString:                   "concatenated_string",
	KindConceptDefinition:                    "concept_definition",
	KindConditionClause:                      "condition_clause",
	KindConditionalExpression:                "conditional_expression",
	KindConstraintConjunction:                "constraint_conjunction",
	KindConstraintDisjunction:                "constraint_disjunction",
	KindContinueStatement:                    "continue_statement",
	KindDeclaration:                          "declaration",
	KindDeclarationList:                      "declaration_list",
	KindDecltype:                             "decltype",
	KindDefaultMethodClause:                  "default_method_clause",
	KindDeleteExpression:                     "delete_expression",
	KindDeleteMethodClause:                   "delete_method_clause",
	KindDependentName:                        "dependent_name",
	KindDependentType:                        "dependent_type",
	KindDestructorName:                       "destructor_name",
	KindDoStatement:                          "do_statement",
	KindElseClause:                           "else_clause",
	KindEnumSpecifier:                        "enum_specifier",
	KindEnumerator:                           "enumerator",
	KindEnumeratorList:                       "enumerator_list",
	KindEscapeSequence:                       "escape_sequence",
	KindExplicitFunctionSpecifier:            "explicit_function_specifier",
	KindExpressionStatement:                  "expression_statement",
	KindFalse:                                "false",
	KindFieldDeclaration:                     "field_declaration",
	KindFieldDeclarationList:                 "field_declaration_list",
	KindFieldDesignator:                      "field_designator",
	KindFieldExpression:                      "field_expression",
	KindFieldIdentifier:                      "field_identifier",
	KindFieldInitializer:                     "field_initializer",
	KindFieldInitializerList:                 "field_initializer_list",
	KindFoldExpression:                       "fold_expression",
	KindForRangeLoop:                         "for_range_loop",
	KindForStatement:                         "for_statement",
	KindFriendDeclaration:                    "friend_declaration",
	KindFunctionDeclarator:                   "function_declarator",
	KindFunctionDefinition:                   "function_definition",
	KindGenericExpression:                    "generic_expression",
	KindGnuAsmClobberList:                    "gnu_asm_clobber_list",
	KindGnuAsmExpression:                     "gnu_asm_expression",
	KindGnuAsmGotoList:                       "gnu_asm_goto_list",
	KindGnuAsmInputOperand:                   "gnu_asm_input_operand",
	KindGnuAsmInputOperandList:               "gnu_asm_input_operand_list",
	KindGnuAsmOutputOperand:                  "gnu_asm_output_operand",
	KindGnuAsmOutputOperandList:              "gnu_asm_output_operand_list",
	KindGnuAsmQualifier:                      "gnu_asm_qualifier",
	KindGotoStatement:                        "goto_statement",
	KindIdentifier:                           "identifier",
	KindIfStatement:                          "if_statement",
	KindInitDeclarator:                       "init_declarator",
	KindInitStatement:                        "init_statement",
	KindInitializerList:                      "initializer_list",
	KindInitializerPair:                      "initializer_pair",
	KindLabeledStatement:                     "labeled_statement",
	KindLambdaCaptureSpecifier:               "lambda_capture_specifier",
	KindLambdaDefaultCapture:                 "lambda_default_capture",
	KindLambdaExpression:                     "lambda_expression",
	KindLinkageSpecification:                 "linkage_specification",
	KindLiteralSuffix:                        "literal_suffix",
	KindMsBasedModifier:                      "ms_based_modifier",
	KindMsCallModifier:                       "ms_call_modifier",
	KindMsDeclspecModifier:                   "ms_declspec_modifier",
	KindMsPointerModifier:                    "ms_pointer_modifier",
	KindMsRestrictModifier:                   "ms_restrict_modifier",
	KindMsSignedPtrModifier:                  "ms_signed_ptr_modifier",
	KindMsUnalignedPtrModifier:               "ms_unaligned_ptr_modifier",
	KindMsUnsignedPtrModifier:                "ms_unsigned_ptr_modifier",
	KindNamespaceAliasDefinition:             "namespace_alias_definition",
	KindNamespaceDefinition:                  "namespace_definition",
	KindNamespaceIdentifier:                  "namespace_identifier",
	KindNestedNamespaceSpecifier:             "nested_namespace_specifier",
	KindNewDeclarator:                        "new_declarator",
	KindNewExpression:                        "new_expression",
	KindNoexcept:                             "noexcept",
	KindNull:                                 "null",
	KindNumberLiteral:                        "number_literal",
	KindOffsetofExpression:                   "offsetof_expression",
	KindOperatorCast:                         "operator_cast",
	KindOperatorName:                         "operator_name",
	KindOptionalParameterDeclaration:         "optional_parameter_declaration",
	KindOptionalTypeParameterDeclaration:     "optional_type_parameter_declaration",
	KindParameterDeclaration:                 "parameter_declaration",
	KindParameterList:                        "parameter_list",
	KindParameterPackExpansion:               "parameter_pack_expansion",
	KindParenthesizedDeclarator:              "parenthesized_declarator",
	KindParenthesizedExpression:              "parenthesized_expression",
	KindPlaceholderTypeSpecifier:             "placeholder_type_specifier",
	KindPointerDeclarator:                    "pointer_declarator",
	KindPointerExpression:                    "pointer_expression",
	KindPointerTypeDeclarator:                "pointer_type_declarator",
	KindPreprocArg:                           "preproc_arg",
	KindPreprocCall:                          "preproc_call",
	KindPreprocDef:                           "preproc_def",
	KindPreprocDefined:                       "preproc_defined",
	KindPreprocDirective:                     "preproc_directive",
	KindPreprocElif:                          "preproc_elif",
	KindPreprocElifdef:                       "preproc_elifdef",
	KindPreprocElse:                          "preproc_else",
	KindPreprocFunctionDef:                   "preproc_function_def",
	KindPreprocIf:                            "preproc_if",
	KindPreprocIfdef:                         "preproc_ifdef",
	KindPreprocInclude:                       "preproc_include",
	KindPreprocParams:                        "preproc_params",
	KindPrimitiveType:                        "primitive_type",
	KindPureVirtualClause:                    "pure_virtual_clause",
	KindQualifiedIdentifier:                  "qualified_identifier",
	KindRawStringContent:                     "raw_string_content",
	KindRawStringDelimiter:                   "raw_string_delimiter",
	KindRawStringLiteral:                     "raw_string_literal",
	KindRefQualifier:                         "ref_qualifier",
	KindReferenceDeclarator:                  "reference_declarator",
	KindRequirementSeq:                       "requirement_seq",
	KindRequiresClause:                       "requires_clause",
	KindRequiresExpression:                   "requires_expression",
	KindReturnStatement:                      "return_statement",
	KindSehExceptClause:                      "seh_except_clause",
	KindSehFinallyClause:                     "seh_finally_clause",
	KindSehLeaveStatement:                    "seh_leave_statement",
	KindSehTryStatement:                      "seh_try_statement",
	KindSimpleRequirement:                    "simple_requirement",
	KindSizedTypeSpecifier:                   "sized_type_specifier",
	KindSizeofExpression:                     "sizeof_expression",
	KindStatementIdentifier:                  "statement_identifier",
	KindStaticAssertDeclaration:              "static_assert_declaration",
	KindStorageClassSpecifier:                "storage_class_specifier",
	KindStringContent:                        "string_content",
	KindStringLiteral:                        "string_literal",
	KindStructSpecifier:                      "struct_specifier",
	KindStructuredBindingDeclarator:          "structured_binding_declarator",
	KindSubscriptArgumentList:                "subscript_argument_list",
	KindSubscriptDesignator:                  "subscript_designator",
	KindSubscriptExpression:                  "subscript_expression",
	KindSubscriptRangeDesignator:             "subscript_range_designator",
	KindSwitchStatement:                      "switch_statement",
	KindSystemLibString:                      "system_lib_string",
	KindTemplateArgumentList:                 "template_argument_list",
	KindTemplateDeclaration:                  "template_declaration",
	KindTemplateFunction:                     "template_function",
	KindTemplateInstantiation:                "template_instantiation",
	KindTemplateMethod:                       "template_method",
	KindTemplateParameterList:                "template_parameter_list",
	KindTemplateTemplateParameterDeclaration: "template_template_parameter_declaration",
	KindTemplateType:                         "template_type",
	KindThis:                                 "this",
	KindThrowSpecifier:                       "throw_specifier",
	KindThrowStatement:                       "throw_statement",
	KindTrailingReturnType:                   "trailing_return_type",
	KindTranslationUnit:                      "translation_unit",
	KindTrue:                                 "true",
	KindTryStatement:                         "try_statement",
	KindTypeDefinition:                       "type_definition",
	KindTypeDescriptor:                       "type_descriptor",
	KindTypeIdentifier:                       "type_identifier",
	KindTypeParameterDeclaration:             "type_parameter_declaration",
	KindTypeQualifier:                        "type_qualifier",
	KindTypeRequirement:                      "type_requirement",
	KindUnaryExpression:                      "unary_expression",
	KindUnionSpecifier:                       "union_specifier",
	KindUpdateExpression:                     "update_expression",
	KindUserDefinedLiteral:                   "user_defined_literal",
	KindUsingDeclaration:                     "using_declaration",
	KindVariadicDeclarator:                   "variadic_declarator",
	KindVariadicParameterDeclaration:         "variadic_parameter_declaration",
	KindVariadicTypeParameterDeclaration:     "variadic_type_parameter_declaration",
	KindVirtual:                              "virtual",
	KindVirtualSpecifier:                     "virtual_specifier",
	KindWhileStatement:                       "while_statement",
}
